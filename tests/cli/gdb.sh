#!/bin/bash
# faultline replay --gdb, by a gdb that reads its commands from a file.
. "$(dirname "$0")/common.inc"
skip() {
  echo "skipped: $*"
  exit 77
}
command -v gdb >/dev/null || skip "there is no gdb"
gdb -q -batch -ex run -ex 'print $_exitcode' /bin/true 2>&1 |
  grep -q '= 0$' || skip "gdb cannot run a program here"

cp examples/afek_stack.c stack.c
run stack.c --opt=-O0 --quiet
expect_status 1
schedule=$(echo .faultline/*.schedule)
debug() { # commands from the input
  what="gdb: $1"
  TMPDIR=$tmp/tmp "$FAULTLINE" replay --gdb $schedule stack.c \
    --opt=-O0 >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 0
  [ -z "$(ls "$tmp/tmp")" ] || fail "left behind: $(ls "$tmp/tmp")"
}
lines() { # which lines the steps were in, in order: T1:34 …
  sed -n 's/^\((gdb) \)*\(T[0-9]\): 0x.* is in .*(stack.c:\([0-9]*\))\.$/\2:\3/p' \
    "$tmp/out" | tr '\n' ' '
}

debug steps <<'END'
fl-threads
fl-step
fl-step
fl-step
fl-step
bt 1
print x
fl-step
fl-step
fl-threads
echo === again\n
run
continue
quit
END
expect_out 'T1 before 0x[0-9a-f]+ is in push \(stack.c:34\).*T2 before 0x[0-9a-f]+ is in pop \(stack.c:39\)'
# The interleaving of the report, step by step.
[ "$(lines)" = 'T1:34 T2:39 T2:41 T1:35 T2:42 ' ] || {
  fail "the steps are: $(lines)"
  cat "$tmp/out"
}
# With the text of the line.
for line in 34 39 41 35 42; do
  grep -qF "$line	$(sed -n ${line}p stack.c)" "$tmp/out" ||
    fail "line $line is not shown"
done
expect_out '#0 .* in push \(s=0x[0-9a-f]+, x=1\) at stack.c:35'
expect_out '\$[0-9]+ = 1 '
expect_out 'The execution has ended: every thread returned .*=== again'
expect_out '=== again .*The execution has ended: every thread returned'

# Breakpoints are gdb's own; each start is the same execution, to the address.
debug breakpoints <<'END'
break stack.c:42
continue
print *s
print s
fl-why
run
print *s
print s
quit
END
expect_out 'Breakpoint [0-9]+, pop \(s=0x[0-9a-f]+\) at stack.c:42'
expect_out 'error: pop\(\) is not linearizable'
expect_out 'Why no order that real time allows explains them'
values=$(grep -oE '\$[0-9]+ = .*' "$tmp/out" | sed 's/^\$[0-9]* = //')
[ "$(echo "$values" | wc -l)" = 4 ] &&
  [ "$(echo "$values" | head -2)" = "$(echo "$values" | tail -2)" ] ||
  fail "two starts differ: $values"

# A whole program.
cp tests/cli/status/program.c program.c
run explore program.c --quiet
expect_status 1
schedule=$(ls .faultline/program-*.schedule)
what='gdb: a program'
printf 'fl-step\nfl-step\nfl-why\nquit\n' | TMPDIR=$tmp/tmp \
  "$FAULTLINE" replay --gdb "$schedule" program.c >"$tmp/out" 2>"$tmp/err"
expect_out 'T[0-9]: 0x[0-9a-f]+ is in [a-z_]+ \(program.c:[0-9]+\)'
expect_out 'assertion failed in main\(\)'

# ---- what cannot be done ----
run stack.c --gdb
expect_status 2
expect_err '--gdb is an option of faultline replay only'
schedule=$(ls .faultline/stack-*.schedule)
mkdir none
for tool in gcc as ld; do ln -s "$(command -v $tool)" none; done
what='no gdb'
PATH=$tmp/none "$FAULTLINE" replay --gdb "$schedule" stack.c --opt=-O0 \
  </dev/null >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 2
expect_err 'gdb: No such file'
finish
