#!/bin/bash
# The report's first lines, why these lines, and the nearest passing schedule.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

# The lines are the answer also where the accesses are in functions that they
# call, inlined or not: the carets are at the calls.
run tests/clients/papers/lock_free_list.c --no-save --json report.json
expect_status 1
list=tests/clients/papers/lock_free_list.c
first=$(grep -nF 'M1 */' $list | cut -d: -f1)
last=$(grep -nF 'while (!attempt_mark' $list | cut -d: -f1)
expect_out "^[^ ]*:$first:5: error: remove_key\(\) is not atomic: lines $first-$last can be interrupted"
jq -e --argjson first "$first" --argjson last "$last" '
  .diagnostic.line == $first and .causes[0].enforced and
  (.causes[0].blocks | map([.first, .last])) == [[$first, $last]]' \
  report.json >/dev/null || fail "causes: $(jq -c .causes report.json)"

# What is said of schedules is what was counted.
expect_out "All schedules of this client, counted on [0-9,]+ states: [0-9,]+, of which [0-9,]+ fail\\."
expect_out 'Every failing schedule is interrupted inside these lines: with them atomic [0-9,]+ schedules are left, and none fails\.'
expect_out 'No smaller block is enough, all were tried: with lines .* still fails'
jq -e '.causes[0].schedules.failing == 0 and .traces.schedules.failing > 0 and
  .traces.schedules.all > .causes[0].schedules.all and
  .causes[0].smallest and (.causes[0].smaller | length) == 2 and
  (.causes[0].smaller | all(.still_fault == "not-linearizable"))' \
  report.json >/dev/null || fail "counts: $(jq -c '.causes, .traces' report.json)"

# Quiet keeps the diagnostic with its carets and the replay command.
run examples/afek_stack.c -q
expect_status 1
[ "$(grep -c '\^$' "$tmp/out")" = 2 ] || fail "no two carets: $(cat "$tmp/out")"
expect_out '^[^ ]*:41:[0-9]+: error: pop\(\) is not atomic: lines 41-42 can be interrupted'
expect_out ' Replay: faultline replay .*\.schedule'
expect_no out 'Which lines'
expect_no out 'Nearest'

# One switch different, and it passes; the same each time.
run examples/afek_stack.c --no-save --json report.json
expect_out 'Nearest passing schedule: The same, but T2 runs line 42 and returns from pop\(\) before T1 runs line 35\. Then the final pop\(\) returns 1 instead of 0\.'
jq -e '.nearest | .line == 42 and .thread == 2 and .instead_of == 1 and
  .results == [null, 0, 1]' report.json >/dev/null ||
  fail "nearest: $(jq -c .nearest report.json)"

# Of other faults too, and of whole programs.
run tests/clients/crash_fpe.c --no-save
expect_status 1
expect_out 'Nearest passing schedule: The same, but T[12] .* before T[12] .*\. Then there is no fault\.'
run explore tests/clients/prog_deadlock.c --no-save
expect_status 1
expect_out 'Nearest passing schedule: .* Then there is no fault\.'

# One thread alone has no switch.
run tests/clients/sequential.c --no-save
expect_no out 'Nearest'
finish
