#!/bin/bash
# export: a saved schedule becomes a C file that fails as long as the fault is
# there and passes when it is repaired; whatever the files are called.
. "$(dirname "$0")/common.inc"

expect_json() { # filter, value
  found=$(jq -r "$1" report.json)
  [ "$found" = "$2" ] || fail "$1 is $found, expected $2"
}
nothing_left() { # folder: no temporary file
  [ -z "$(find "$1" -name '.faultline-*')" ] || fail "left behind: $(ls -A "$1")"
}

cp tests/clients/papers/afek_stack.c stack.c
run stack.c
expect_status 1
schedule=$(echo .faultline/stack-*.schedule)

# ---- round trip ----
mkdir suite
run export "$schedule" stack.c -o suite/regress.c
expect_status 0
nothing_left suite
[ ! -s "$tmp/out" ] || fail "it prints something"
run suite/regress.c --no-save --json report.json
expect_status 1
expect_json .client '{push(1)} || {pop()}; pop()'
expect_json .coverage.one_client true
expect_json .statistics.replays 1
run suite/regress.c --no-save --json report.json -- -DFIXED
expect_status 0
expect_json .coverage.exhaustive true
expect_json .statistics.clients 1
expect_json .statistics.replays 1
# Other steps are found too.
sed 's/steps: [^"\\]*/steps: T1*9/' suite/regress.c >suite/other.c
grep -q 'T1\*9' suite/other.c || fail "no steps in the file"
run suite/other.c --no-save --json report.json
expect_status 1
expect_json .client '{push(1)} || {pop()}; pop()'

run export "$schedule" stack.c --expect-fault -o suite/expect.c
expect_status 0
run suite/expect.c --no-save
expect_status 0
run suite/expect.c --no-save -- -DFIXED
expect_status 1

run export "$schedule" stack.c
expect_status 0
cmp -s <(sed 's/THIS_FILE/regress.c/; s/include "stack.c/include "..\/stack.c/' \
  "$tmp/out") suite/regress.c || fail "standard output has another file"

# The code under --heap and the like is the same code with other steps.
cat >aba.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct stack { _Atomic(struct node *) top; };
static struct stack *new(void) { return calloc(1, sizeof(struct stack)); }
static void push(struct stack *s, int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  n->next = s->top;
  while (!atomic_compare_exchange_strong(&s->top, &n->next, n))
    ;
}
static int pop(struct stack *s) {
  struct node *o = s->top;
  do {
    if (!o)
      return -1;
  } while (!atomic_compare_exchange_strong(&s->top, &o, o->next));
  int v = o->value;
  free(o);
  return v;
}
FL_OBJECT(stack, new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
END
run aba.c --heap=reuse --save-dir saved
expect_status 1
run export saved/stack-*.schedule aba.c -o suite/aba.c
expect_status 0
run suite/aba.c --no-save --json report.json
expect_status 1
expect_json .heap reuse

# ---- without Faultline ----
for std in c99 c11 gnu17; do
  cc -std=$std -Wall -Wextra -pedantic -Werror -c suite/regress.c -o plain.o ||
    fail "not a plain C file in $std"
done
[ -z "$(nm plain.o)" ] || fail "the plain file is not empty: $(nm plain.o)"

# ---- several files, several objects ----
mkdir parts
cat >parts/cell.h <<'END'
#ifndef CELL_H
#define CELL_H
int next(void);
#endif
END
cat >parts/cell.c <<'END'
#include "cell.h"
static int x;
int next(void) {
#ifdef LOCKED
  return __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
#else
  return x++;
#endif
}
END
cat >parts/harness.c <<'END'
#include "cell.h"
#include <faultline.h>
static int other(void) { return 0; }
FL_OBJECT(empty)
FL_OP(int, other)
FL_OBJECT(cell)
FL_OP(int, next)
END
run parts/cell.c parts/harness.c --object cell --save-dir parts
expect_status 1
run export parts/cell-*.schedule parts/cell.c parts/harness.c -o both.c
expect_status 0
run both.c --no-save --json report.json
expect_status 1
expect_json .object cell
run both.c --no-save -- -DLOCKED
expect_status 0
run export parts/cell-*.schedule parts/cell.c parts/harness.c --separate \
  -o apart.c -- -DUNUSED='*/' -Iparts
expect_status 0
grep -q 'faultline apart.c parts/cell.c parts/harness.c -- -DUNUSED=\* / -Iparts' \
  apart.c || fail "the command is not in the file: $(head -6 apart.c)"
run apart.c parts/cell.c parts/harness.c --no-save
expect_status 1
run both.c --object empty --no-save
expect_status 2
expect_err 'no FL_CLIENT is for an object called empty'

# ---- by hand ----
cat >given.c <<'END'
#include "parts/cell.c"
#include "parts/harness.c"
FL_CLIENT("object: cell\nclient: {next()} || {next()}\n")
FL_CLIENT("object: empty\n"
          "client: {other()} || {other()}\n")
END
run given.c --no-save --json report.json -- -DLOCKED
expect_status 3 # nothing is shared in the second
expect_json '[.runs[].verdict] | join(" ")' 'pass unknown'
for text in 'client: {next()} || {last()}' 'object: cells\\nclient: {next()}' \
  'object: cell' 'object: cell\\nsteps: T1*x\\nclient: {next()}'; do
  sed "s/^FL_CLIENT(\"object: cell.*/FL_CLIENT(\"$text\\\\n\")/" given.c >wrong.c
  run wrong.c --no-save
  expect_status 2
  expect_err 'wrong.c:3: FL_CLIENT'
done

# ---- C++: also on standard output, and not in a C file ----
cp examples/cxx_queue.cpp queue.cpp
run queue.cpp --save-dir cxx
expect_status 1
run export cxx/queue-*.schedule queue.cpp
expect_status 0
cp "$tmp/out" out.cpp
run export cxx/queue-*.schedule queue.cpp -o same.cpp
expect_status 0
diff <(sed 's/THIS_FILE/same.cpp/' out.cpp) same.cpp || fail "not the same"
run same.cpp --no-save
expect_status 1
run export cxx/queue-*.schedule queue.cpp -o same.c
expect_status 2
expect_err 'same.c: a C file cannot include queue.cpp, which is C\+\+'
[ ! -e same.c ] || fail "a file was written"

# ---- names ----
hostile="it's a \$(dir) %s */ /* ??/ é"
mkdir -p "$hostile/deep er"
cp stack.c "$hostile/a b%d.c"
run export "$schedule" "$hostile/a b%d.c" -o "$hostile/deep er/re gress%n.c"
expect_status 0
run "$hostile/deep er/re gress%n.c" --no-save
expect_status 1
run export "$schedule" "$hostile/a b%d.c" -o "top level.c"
expect_status 0
run "top level.c" --no-save
expect_status 1
run export "$schedule" "$hostile/a b%d.c" --separate -o '*_.c'
expect_status 0
run '*_.c' "$hostile/a b%d.c" --no-save
expect_status 1
cp stack.c 'quo"te.c'
run export "$schedule" 'quo"te.c' -o out.c
expect_status 2
expect_err 'quo"te.c: no #include can name'
[ ! -e out.c ] || fail "a file was written"

# ---- bad input: a reason, status 2, and what was there stays ----
echo old >kept.c
bad() { # regex, arguments
  reason=$1
  shift
  run export "$@" -o kept.c
  expect_status 2
  expect_err "$reason"
  [ "$(cat kept.c)" = old ] || fail "kept.c was changed"
  nothing_left .
}
bad 'give a schedule and the sources' "$schedule"
bad 'missing.schedule: No such file' missing.schedule stack.c
printf 'faultline-schedule 1\nobject: stack\nclient: {pop()}\nsteps: T1*x\n' >x
bad 'x:4: ' x stack.c
printf 'faultline-schedule 1\nobject: queue\nclient: {pop()}\nsteps: T1*1\n' >x
bad 'x: the schedule is for the object queue' x stack.c
printf 'faultline-schedule 1\nobject: stack\nclient: {drop()}\nsteps: T1*1\n' >x
bad 'drop' x stack.c
printf 'faultline-schedule 1\nobject: program\nsteps: T1*1\n' >x
bad 'x: the schedule names no client' x stack.c
printf 'faultline-schedule 1\nobject: stack\nclient: {pop()}\n' >x
bad "x:4: no 'steps:': the end of the file is missing" x stack.c
for text in 'object: queue\nclient: {pop()}' 'object: stack' \
  'object: stack\nclient: {drop()}'; do # replay names the file, too
  printf "faultline-schedule 1\n$text\nsteps: T1*1\n" >x
  run replay x stack.c
  expect_status 2
  expect_err 'faultline: x: '
done
printf 'int f(void) { return 0 }\n' >broken.c
bad 'broken.c:1' "$schedule" broken.c
cc -c parts/cell.c -Iparts -o cell.o
bad 'cell.o is not a C or C\+\+ source' parts/cell-*.schedule parts/harness.c cell.o
run export "$schedule" stack.c -o missing/out.c
expect_status 2
expect_err 'missing/out.c: No such file'
run export "$schedule" stack.c -o suite
expect_status 2
expect_err 'suite: Is a directory'
nothing_left .
run export --help
expect_status 0
expect_out '^Usage: faultline export SCHEDULE|faultline export SCHEDULE'
finish
