#!/bin/bash
# faultline check for continuous integration: JUnit's XML and TAP.
. "$(dirname "$0")/common.inc"
cat >'bad <&>.jsonl' <<'END'
{"type":"history","version":1,"spec":"register","argument":0}
{"type":"call","process":1,"name":"write","args":["<b>&\""]}
{"type":"return","process":1}
{"type":"call","process":2,"name":"read"}
{"type":"return","process":2,"result":0}
END
printf '%s\n' '{"type":"history","version":1,"spec":"register"}' \
  '{"type":"call","process":1,"name":"write","args":[1]}' \
  '{"type":"return","process":1}' >fine.jsonl
# Values that are not distinct, all at once: not to be decided in a moment.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"stack\"}"
  for (i = 0; i < 60; i++)
    printf "{\"type\":\"call\",\"process\":%d,\"name\":\"%s\"%s}\n", i,
      i % 2 ? "pop" : "push", i % 2 ? "" : ",\"args\":[" (i % 6) "]"
  for (i = 0; i < 60; i++)
    printf "{\"type\":\"return\",\"process\":%d%s}\n", i,
      i % 2 ? ",\"result\":" (i % 5) : ""
}' >hard.jsonl

run check 'bad <&>.jsonl' fine.jsonl --junit j.xml --tap t.tap
expect_status 1
cmp -s <("$FAULTLINE" check 'bad <&>.jsonl' fine.jsonl) "$tmp/out" ||
  fail "another text"
what="JUnit"
if command -v xmllint >/dev/null; then
  xmllint --noout j.xml 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  value() { xmllint --xpath "string($1)" j.xml; }
  [ "$(value '//testsuite/@tests')" = 2 ] || fail "tests"
  [ "$(value '//testsuite/@failures')" = 1 ] || fail "failures"
  [ "$(value '//testsuite/@errors')" = 0 ] || fail "errors"
  [ "$(value '(//testcase)[1]/@name')" = 'bad <&>.jsonl' ] || fail "name"
  [ "$(value '//failure/@type')" = not-linearizable ] || fail "type"
  value '//failure' | grep -q 'operations that no order explains' ||
    fail "not the whole report"
  value '(//testcase)[2]/system-out' | grep -q 'fine.jsonl: linearizable' ||
    fail "fine"
fi
what="TAP"
cat >expected <<'END'
TAP version 13
1..2
not ok 1 - bad <&>.jsonl
  ---
END
head -n 4 t.tap | cmp -s - expected || fail "$(cat t.tap)"
grep -q '^  message: "read() = 0 .*"$' t.tap || fail "$(cat t.tap)"
[ "$(tail -n 1 t.tap)" = 'ok 2 - fine.jsonl' ] || fail "$(cat t.tap)"

# Not decided is an error, never green.
run check hard.jsonl --memory 1 --junit j.xml --tap -
expect_status 3
expect_out '^TAP version 13 1\.\.1 not ok 1 - hard\.jsonl .*severity: "inconclusive"'
expect_err 'hard.jsonl: unknown'
grep -q 'errors="1"' j.xml || fail "$(cat j.xml)"
grep -q '<error type="inconclusive"' j.xml || fail "$(cat j.xml)"

# Wrong options and files leave nothing.
rm j.xml
run check fine.jsonl --junit - --tap -
expect_status 2
expect_err 'one of them can be -'
echo '{' >broken.jsonl
run check broken.jsonl --junit j.xml
expect_status 2
[ ! -e j.xml ] || fail "a file was written"
finish
