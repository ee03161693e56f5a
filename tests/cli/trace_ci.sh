#!/bin/bash
# faultline atomicity and faultline explain for continuous integration: JUnit's
# XML, TAP and SARIF.
. "$(dirname "$0")/common.inc"
json() { # file, what must hold of it
  jq -e "$2" "$1" >/dev/null || fail "$1: not $2: $(cat "$1")"
}
value() { # XPath
  xmllint --xpath "string($1)" j.xml
}
expect_value() { # XPath, value
  command -v xmllint >/dev/null || return
  [ "$(value "$1")" = "$2" ] || fail "$1 is $(value "$1"), expected $2"
}

cat >'lost <&>.std' <<'END'
T0|begin|1
T0|r(V1)|2
T1|begin|1
T1|r(V1)|2
T1|w(V1)|3
T1|end|4
T0|w(V1)|3
T0|end|4
END
printf '%s\n' 'T0|begin|1' 'T0|w(V1)|2' 'T0|end|3' >fine.std

# ---- atomicity: a case a trace; of a trace file no line of code is known ----
run atomicity 'lost <&>.std' fine.std --junit j.xml --tap t.tap --sarif s.sarif
expect_status 1
cmp -s <("$FAULTLINE" atomicity 'lost <&>.std' fine.std) "$tmp/out" ||
  fail "another text"
expect_value '//testsuite/@tests' 2
expect_value '//testsuite/@failures' 1
expect_value '//testsuite/@errors' 0
expect_value '(//testcase)[1]/@name' 'lost <&>.std'
expect_value '(//testcase)[1]/@file' ''
expect_value '//failure/@type' not-serializable
grep -q 'comes before' j.xml || fail "not the whole report"
grep -q '<system-out>fine.std: 3 events' j.xml || fail "$(cat j.xml)"
cat >expected <<'END'
TAP version 13
1..2
not ok 1 - lost <&>.std
  ---
  message: "not SC-serializable: a cycle of 2 SC conflicts"
  severity: "fail"
  ...
ok 2 - fine.std
END
cmp -s expected t.tap || fail "$(cat t.tap)"
json s.sarif '.runs[0].results | length == 1 and
  (.[0] | .ruleId == "not-serializable" and has("locations") == false)'
json s.sarif '.runs[0].invocations[0] | .executionSuccessful and .exitCode == 1'

# ---- atomicity of a source: the lines of the cycle ----
run atomicity examples/afek_stack.c --client '{push(1)} || {pop()}; pop()' \
  --junit j.xml --tap - --sarif s.sarif
expect_status 1
expect_out '^TAP version 13 1\.\.1 not ok 1 - \{push\(1\)\} \|\| \{pop\(\)\}; pop\(\) '
expect_out 'file: "examples/afek_stack.c" line: 34 '
expect_err 'SC-serializable no'
expect_value '//testcase/@file' examples/afek_stack.c
expect_value '//testcase/@line' 34
json s.sarif '.runs[0].results[0] | [.locations[], .relatedLocations[]] |
  map(.physicalLocation.region.startLine) == [34, 39, 41, 35]'
json s.sarif '.runs[0].results[0].locations[0] |
  .logicalLocations[0].name == "push" and
  .physicalLocation.artifactLocation.uri == "examples/afek_stack.c"'

# Not determined is an error, never green.
run atomicity examples/treiber_stack.c --max-executions 1 --junit j.xml \
  --client '{push(1); pop()} || {push(2); pop()}' --tap t.tap --sarif s.sarif
expect_status 3
expect_value '//testsuite/@errors' 1
expect_value '//error/@type' inconclusive
grep -q 'severity: "inconclusive"' t.tap || fail "$(cat t.tap)"
json s.sarif '.runs[0].results[0] | .kind == "open" and .level == "none"'

# ---- explain: one case ----
for place in '"file":"src/a b.c","function":"inc","line"' '"line"'; do
  printf '%s\n' '{"type":"trace","version":1,"verdict":"violation"}' \
    "{\"type\":\"read\",\"thread\":1,\"op\":1,\"var\":\"n\",$place:4}" \
    "{\"type\":\"read\",\"thread\":2,\"op\":2,\"var\":\"n\",$place:4}" \
    "{\"type\":\"write\",\"thread\":2,\"op\":2,\"var\":\"n\",$place:5}" \
    "{\"type\":\"write\",\"thread\":1,\"op\":1,\"var\":\"n\",$place:5}" >n.jsonl
  run explain n.jsonl --junit j.xml --tap t.tap --sarif s.sarif --json n.json
  expect_status 1
  expect_value '//testsuite/@failures' 1
  expect_value '//testcase/@name' n.jsonl
  expect_value '//failure/@type' not-atomic
  json n.json '.causes | length == 1'
  case $place in
  *file*)
    cmp -s - t.tap <<'END' || fail "$(cat t.tap)"
TAP version 13
1..1
not ok 1 - n.jsonl
  ---
  message: "lines 4-5 of a b.c, in inc() must be atomic"
  severity: "fail"
  file: "src/a b.c"
  line: 4
  ...
END
    json s.sarif '.runs[0].results[0] | .ruleId == "not-atomic" and
      (.locations[0].physicalLocation | .region == {startLine: 4, endLine: 5}
        and .artifactLocation.uri == "src/a%20b.c")'
    ;;
  *) json s.sarif '.runs[0].results[0] | has("locations") == false' ;;
  esac
done
printf '%s\n' '{"type":"trace","version":1,"verdict":"violation"}' \
  '{"type":"write","thread":1,"op":1,"var":"n","line":4}' \
  '{"type":"write","thread":2,"op":2,"var":"n","line":5}' >apart.jsonl
run explain apart.jsonl --tap - --junit j.xml --sarif s.sarif
expect_status 0
expect_out '^TAP version 13 1\.\.1 ok 1 - apart.jsonl $'
expect_err 'nothing has to be atomic'
expect_value '//testsuite/@failures' 0
json s.sarif '.runs[0].results == []'

# ---- wrong options and files leave nothing ----
rm -f j.xml t.tap
run explain n.jsonl --junit - --tap -
expect_status 2
expect_err 'one of them can be -'
run atomicity fine.std --junit - --tap -
expect_status 2
expect_err 'only one of them can be standard output'
run explain nofile.jsonl --junit j.xml
expect_status 2
run atomicity nofile.std --tap t.tap
expect_status 2
[ ! -e j.xml ] && [ ! -e t.tap ] || fail "a file was written"
run explain n.jsonl --tap /dev/full
expect_status 2
expect_err '/dev/full: No space left on device'
finish
