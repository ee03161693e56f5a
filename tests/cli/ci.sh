#!/bin/bash
# What services of continuous integration read: JUnit, TAP, SARIF, annotations
# and the exit status of GNU; after faults, passes, doubt and trouble.
. "$(dirname "$0")/common.inc"
s=tests/cli/status

xml() { # file, XPath expression, expected
  if ! command -v xmllint >/dev/null; then
    echo "note: no xmllint: $2 is not looked at"
    return
  fi
  got=$(xmllint --xpath "$2" "$1" 2>&1)
  [ "$got" = "$3" ] || fail "$2 of $1 is '$got', expected '$3'"
}
json() { # file, jq expression
  jq -e "$2" "$1" >/dev/null || fail "$1 has not $2: $(head -c 2000 "$1")"
}

# ---- a fault and a pass ----
run $s/two_objects.c --no-save --junit j.xml --sarif s.sarif --tap t.tap
expect_status 1
expect_out 'good: no fault found'
xml j.xml 'string(/testsuites/@tests)' 2
xml j.xml 'string(/testsuites/testsuite/@failures)' 1
xml j.xml 'string(/testsuites/testsuite/@errors)' 0
xml j.xml 'count(//testcase[@name="good"]/failure)' 0
xml j.xml 'string(//testcase[@name="broken"]/failure/@type)' not-linearizable
xml j.xml 'contains(//testcase[@name="broken"]/failure, "Interleaving")' true
grep -q '^1\.\.2$' t.tap || fail "no plan in TAP"
grep -q '^ok 1 - good$' t.tap || fail "TAP: good"
grep -q '^not ok 2 - broken$' t.tap || fail "TAP: broken"
json s.sarif '.version == "2.1.0" and (.runs[0].results | length == 1)'
json s.sarif '.runs[0].results[0] | .ruleId == "not-linearizable" and
  .level == "error" and
  .locations[0].physicalLocation.region.startLine > 0 and
  (.relatedLocations | length > 0)'
json s.sarif '[.runs[0].results[0].codeFlows[0].threadFlows[].id] |
  index("T1") != null and index("T2") != null'
# Each step once, in the order of the execution.
json s.sarif '[.runs[0].results[0].codeFlows[0].threadFlows[].locations[]
  .executionOrder] | sort == [range(1; length + 1)]'
json s.sarif '.runs[0].invocations[0] | .executionSuccessful and .exitCode == 1'
if command -v prove >/dev/null; then
  prove -e cat t.tap >"$tmp/out" 2>&1 && fail "prove says that it passed"
  expect_out 'Failed test: 2'
fi

# Standard output is the report's alone.
for format in junit sarif tap; do
  run $s/fine.c --max-executions 300 --$format -
  expect_status 0
  expect_err 'no fault found'
  expect_out '^(<\?xml|\{|TAP version 13 1\.\.1 ok 1)'
done
run $s/fine.c --tap - --json -
expect_status 2
expect_err 'json and --tap: only one of them can be standard output'

# ---- a patch is a fix ----
cp examples/afek_stack.c stack.c
run stack.c --no-save --patch p.diff --sarif s.sarif
expect_status 1
json s.sarif '.runs[0].results[0].fixes[0].artifactChanges[0] |
  .artifactLocation.uri == "stack.c" and (.replacements | length > 1)'
# Applied from the last to the first it gives what patch(1) gives.
cp stack.c fixed.c
jq -r '.runs[0].results[0].fixes[0].artifactChanges[0].replacements | reverse[] |
  "\(.deletedRegion.startLine) \(.deletedRegion.endLine) \(.insertedContent.text | @base64)"' \
  s.sarif | while read -r first end text; do
  { head -n $((first - 1)) fixed.c; echo "$text" | base64 -d
    tail -n +"$end" fixed.c; } >next.c && mv next.c fixed.c
done
patch -s -p1 stack.c <p.diff || fail "the patch"
cmp stack.c fixed.c || fail "the fix differs from the patch"

# ---- expected faults ----
cp tests/clients/expect_fault.c expected.c
run expected.c --no-save --junit j.xml --sarif s.sarif --tap t.tap
expect_status 0
xml j.xml 'string(//testsuite/@failures)' 0
json s.sarif '.runs[0].results == []'
run $s/expected_fault_missing.c --junit j.xml --sarif s.sarif --tap t.tap
expect_status 1
xml j.xml 'string(//failure/@type)' expected-fault-missing
json s.sarif '.runs[0].results[0].ruleId == "expected-fault-missing"'
grep -q '^not ok 1' t.tap || fail "TAP: an expected fault is missing"

# ---- doubt is never green ----
run $s/nothing_shared.c --junit j.xml --sarif s.sarif --tap t.tap
expect_status 3
xml j.xml 'string(//error/@type)' inconclusive
xml j.xml 'string(//testsuite/@skipped)' 0
grep -q '^not ok 1' t.tap || fail "TAP: nothing was checked"
json s.sarif '.runs[0].results[0] | .kind == "open" and .level == "none"'

# ---- trouble ----
run $s/does_not_compile.c --junit j.xml --sarif s.sarif --tap t.tap
expect_status 2
xml j.xml 'string(//testsuite/@errors)' 1
grep -q '^Bail out! .*does not compile' t.tap || fail "TAP: trouble"
json s.sarif '.runs[0].invocations[0].executionSuccessful == false'
run $s/fine.c --junit /nonexistent/x.xml
expect_status 2
expect_err '/nonexistent: No such file'
expect_no out 'no fault'
run $s/fine.c --max-executions 300 --tap /dev/full/x
expect_status 2

# ---- GNU's exit status ----
gnu() {
  run "$@" --no-save --exit-protocol=gnu
}
gnu $s/fine.c --max-executions 300
expect_status 0
gnu $s/two_objects.c
expect_status 1
gnu $s/nothing_shared.c
expect_status 77
gnu $s/does_not_compile.c
expect_status 99
run $s/fine.c --exit-protocol=gnu --threds 2
expect_status 99
run replay --exit-protocol=gnu nofile $s/fine.c
expect_status 99
run $s/fine.c --exit-protocol=gno
expect_status 2
expect_err 'did you mean gnu\?'

# ---- GitHub ----
mkdir -p 'repo/a, b'
cp $s/two_objects.c 'repo/a, b/x%y.c'
cd repo || exit 2
GITHUB_ACTIONS=true GITHUB_WORKSPACE=$tmp/repo run 'a, b/x%y.c' --no-save \
  --sarif s.sarif
expect_out '::error file=a%2C b/x%25y\.c,line=[0-9]+,.*title=faultline%3A broken::'
expect_no out 'title=faultline%3A good'
json s.sarif '.runs[0].results[0].locations[0].physicalLocation.artifactLocation
  == {"uri": "a%2C%20b/x%25y.c", "uriBaseId": "SRCROOT"}'
cd 'a, b' || exit 2
GITHUB_ACTIONS=true GITHUB_WORKSPACE=$tmp/repo run x%y.c --no-save
expect_out '::error file=a%2C b/x%25y\.c,'
cd "$tmp" || exit 2
GITHUB_ACTIONS=true run $s/does_not_compile.c
expect_out '::error title=faultline::.*does not compile'
GITHUB_ACTIONS=true run selftest
expect_status 0
expect_no out '::error'
GITHUB_ACTIONS=false run $s/two_objects.c --no-save
expect_no out '::error'
finish
