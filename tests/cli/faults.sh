#!/bin/bash
# Objects with several faults: --keep-going lists each of them once, in every
# format, the same for any -j; a doubt hides no violation.
. "$(dirname "$0")/common.inc"

json() { jq -e "$2" "$1" >/dev/null || fail "$1: not $2: $(jq -c "${3:-.}" "$1" | head -c 600)"; }
faults() { # of report.json
  json report.json "[.runs[].fault] == $1" '[.runs[].fault]'
}
small='--threads 2 --ops 1 --init 1 --no-save'

# The report and the JSON are the same for one process and two.
same() {
  run "$@" -j 1 --json one.json
  cp out one
  run "$@" -j 2 --json report.json
  cmp -s one out || {
    fail "differs from -j 1:"
    diff one out | head -20 | sed 's/^/     | /'
  }
  for f in one report; do
    jq -S 'del(.. | .seconds?, .cpu_seconds?)' $f.json >$f.plain
  done
  cmp -s one.plain report.plain || fail "the JSON differs from that of -j 1"
}

# ---- a lost update and a use after free ----
cat >shop.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) box;
static atomic_int sold;
static void fill(int v) {
  int *n = malloc(sizeof *n), *old;
  *n = v;
  old = atomic_exchange(&box, n);
  free(old);
}
static int look(void) {
  int *p = atomic_load(&box);
  return p ? atomic_load((_Atomic int *)p) : -1;
}
static int sell(void) {
  int n = atomic_load(&sold);
  atomic_store(&sold, n + 1);
  return n;
}
FL_OBJECT(shop)
FL_OP(void, fill, FL_INT(1, 2))
FL_OP(int, look)
FL_OP(int, sell)
END
run shop.c $small --json report.json
expect_status 1
json report.json '.fault == "not-linearizable"' .fault
export GITHUB_ACTIONS=true
same shop.c $small --keep-going --sarif s.sarif --junit j.xml --tap t.tap --html p.html
unset GITHUB_ACTIONS
expect_status 1
faults '["not-linearizable","use-after-free"]'
expect_out 'shop: 2 faults 1\.'
expect_out '1\. shop\.c:17: sell\(\) is not atomic'
expect_out '2\. shop\.c:14: use after free of'
# The second was looked for with the lines of the first atomic, and not those of
# the second, which are a part of the whole object's repair.
expect_out 'shop\.c:17: note: another fault: this one was found with lines 17-18 atomic'
json report.json '.runs[1].coverage.sentence | test("no other fault: .*; with shop.c:13-14, shop.c:17-18 atomic")' '.runs[1].coverage.sentence'
json report.json '.runs[1].diagnostic.notes | map(select(.line == 17)) | length == 1' '.runs[1].diagnostic'
json s.sarif '[.runs[0].results[].ruleId] == ["not-linearizable","use-after-free"]' '[.runs[0].results[].ruleId]'
[ "$(grep -c '<failure ' j.xml)" = 2 ] || fail "j.xml: $(grep '<fail' j.xml)"
grep -q 'name="shop (2)"' j.xml || fail "j.xml: $(grep '<testcase' j.xml)"
[ "$(grep -c '^not ok ' t.tap)" = 2 ] || fail "t.tap: $(cat t.tap)"
[ "$(grep -c '^::error ' out)" = 2 ] || fail "annotations: $(grep '^::' out)"
grep -q 'use-after-free' p.html || fail "p.html has one fault only"
# Each has a schedule of its own.
run shop.c --threads 2 --ops 1 --init 1 --keep-going --quiet
[ "$(ls .faultline/*.schedule | wc -l)" = 2 ] || fail "$(ls .faultline)"
for schedule in .faultline/*.schedule; do
  run replay "$schedule" shop.c --quiet
  expect_status 1
done

# ---- a deadlock and a lost update: the deadlock has no lines that end it ----
cat >locks.c <<'END'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y;
static int move(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  int r = ++x;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return r;
}
static int back(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  int r = --x;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return r + y++;
}
FL_OBJECT(locks)
FL_OP(int, move)
FL_OP(int, back)
END
same locks.c $small --keep-going
expect_status 1
# Clients with both operations are searched still: {move()} || {back()} has the
# deadlock, and the second fault is one of back() and back().
faults '["deadlock","not-linearizable"]'
expect_out '1\. locks\.c:8: deadlock in move\(\)'
expect_out '2\. locks\.c:17: back\(\) is not atomic: lines 17-20 can be interrupted'

# ---- two lost updates, each of one operation ----
cat >two.c <<'END'
#include <faultline.h>
static volatile int a, b;
static int inc(void) { return a++; }
static int get(void) { return a + b; }
static int dec(void) { return b--; }
FL_OBJECT(two)
FL_OP(int, inc)
FL_OP(int, get)
FL_OP(int, dec)
END
same two.c $small --keep-going
faults '["not-linearizable","not-linearizable"]'
expect_out 'two: 2 faults 1\.'
expect_out '1\. two\.c:3: inc\(\) is not atomic: line 3 can be interrupted +2\. '
expect_out '2\. two\.c:5: dec\(\) is not atomic'

# ---- an endless loop and a violation ----
# Two calls of drain() can take n below zero, and it never comes back.
cat >drain.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
static atomic_int n;
static void put(void) { atomic_fetch_add(&n, 1); }
static int drain(void) {
  int got = 0;
  for (;;) {
    int have = atomic_load(&n);
    if (have == 0)
      return got;
    atomic_fetch_sub(&n, 1);
    got++;
  }
}
static int level(void) { return atomic_load(&n); }
FL_OBJECT(drain)
FL_OP(void, put)
FL_OP(int, drain)
FL_OP(int, level)
END
same drain.c --no-save --threads 2 --ops 2
expect_status 1
faults '["not-linearizable","not-modelled"]'
json report.json '[.runs[].verdict] == ["violation","unknown"]' '[.runs[].verdict]'
expect_out 'drain: 1 fault, 1 doubt 1\.'
tr -s '\n ' ' ' <out | grep -q 'inconclusive: in drain(): lines 8, 11 repeat (n = -1, -2, -3 and so on): the thread runs alone, and has not finished' ||
  fail "what repeats is not said: $(grep -A1 inconclusive: out)"
expect_out ' lines 8, 11 repeat 32,[0-9]{3} times '
[ "$(wc -l <out)" -lt 120 ] || fail "$(wc -l <out) lines"
sed 's/^FL_OBJECT.*/&\nFL_EXPECT_FAULT/' drain.c >expected.c
run expected.c --no-save --threads 2 --ops 2 --quiet
expect_status 0

# The one client of --client, too.
run drain.c --no-save --client 'put(); put(); {drain()} || {drain()}' --json report.json
expect_status 1
json report.json '[.runs[].verdict] == ["violation","unknown"]' '[.runs[].verdict]'

# ---- an operation that always fails hides no fault of the others ----
cat >call.c <<'END'
#include <faultline.h>
#include <stdlib.h>
static volatile int a;
static int next(void) { return a++; }
static int shell(void) { return system("true"); }
FL_OBJECT(call)
FL_OP(int, next)
FL_OP(int, shell)
END
same call.c $small
expect_status 1
faults '["not-linearizable","not-modelled"]'
sed -i 's/^static int next.*/static int next(void) { return __atomic_add_fetch(\&a, 1, 5); }/' call.c
same call.c $small
expect_status 3
json report.json '.fault == "not-modelled"' .fault
expect_out 'no other fault'
finish
