#!/bin/bash
# A schedule of a fault is saved, tried first by the next run, and can be
# replayed, also when the code was repaired.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

counter() { # expression
  cat >counter.c <<END
#include <faultline.h>
static int counter;
static int next(void) { return $1; }
FL_OBJECT(counter)
FL_OP(int, next)
END
}

counter 'counter++'
run counter.c
expect_status 1
expect_out 'Replay: faultline replay .faultline/counter-[0-9a-f]*.schedule counter.c'
schedule=$(echo .faultline/*.schedule)
[ -f "$schedule" ] || fail "no schedule: $schedule"
first=$(sed -n '/Interleaving/,/Results/p' "$tmp/out")

run counter.c
expect_status 1
expect_out 'A saved schedule fails; nothing else was tried'
[ "$(ls .faultline/*.schedule | wc -l)" = 1 ] || fail "saved twice: $(ls .faultline)"

run replay "$schedule" counter.c
expect_status 1
expect_out 'next\(\) is not linearizable'
[ "$(sed -n '/Interleaving/,/Results/p' "$tmp/out")" = "$first" ] ||
  fail "the replay shows another execution"

run counter.c --no-save
expect_status 1
expect_out 'Found in client 1'

run counter.c --heap reuse # other options: the saved one is not tried
expect_out 'Found in client 1'

counter '__atomic_fetch_add(\&counter, 1, __ATOMIC_SEQ_CST)'
sed -i 's/\\&/\&/' counter.c
run counter.c
expect_status 0
expect_out '1 saved schedule passes; .*all interleavings of all'

run replay "$schedule" counter.c
expect_status 0
expect_err 'the sources have changed since the schedule was saved'
expect_out '^counter: passes: this execution ends without a fault'
expect_out 'rmw counter: 0 -> 1'
expect_out 'counter: passes in 1 client, 2 executions'

# Something else that is wrong is still found behind saved ones that pass.
counter '__atomic_fetch_add(\&counter, counter < 2, __ATOMIC_SEQ_CST)'
sed -i 's/\\&/\&/' counter.c
run counter.c
expect_out '1 saved schedule passes;'

echo garbage >.faultline/counter-0.schedule
run counter.c
expect_no err garbage

run replay "$schedule" examples/ring.c
expect_status 2
expect_err 'for the object counter, which these sources do not have'

# A fault that kills the process is saved and dies again.
rm -rf .faultline
run tests/cli/status/killed.c
expect_status 1
run replay .faultline/*.schedule tests/cli/status/killed.c
expect_status 1
expect_out 'the process died of signal 11'

# Whole programs.
rm -rf .faultline
run explore tests/cli/status/program.c
expect_status 1
run replay .faultline/*.schedule tests/cli/status/program.c
expect_status 1
expect_out 'assertion failed in main'

# The command can be pasted whatever the names are.
mkdir "a b"
counter 'counter++'
cp counter.c "a b/it's.c"
run "a b/it's.c" -- '-DTEXT="a b"'
command=$(sed -n '/^Replay:/,/^$/p' "$tmp/out" | sed '1d; s/^ *faultline/"$FAULTLINE"/')
what="the pasted command: $command"
eval "$command" >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
expect_out 'next\(\) is not linearizable'
finish
