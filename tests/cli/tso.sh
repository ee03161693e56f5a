#!/bin/bash
# Under TSO with every part of the tool: objects that are right under SC, wrong
# under TSO, and right with their fences.
# shellcheck disable=SC2086 # lists of options
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

cat >peterson.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
static atomic_int flag[2], turn;
static int counter;
#define GET(P) atomic_load_explicit(P, memory_order_relaxed)
#define SET(P, V) atomic_store_explicit(P, V, memory_order_relaxed)
static void lock(int me) {
  SET(&flag[me], 1);
  SET(&turn, 1 - me); /* line 9 */
#ifdef FENCE
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  while (GET(&flag[1 - me]) && GET(&turn) == 1 - me) /* line 13 */
    ;
}
static int add(int me) {
  lock(me);
  int n = ++counter;
  SET(&flag[me], 0);
  return n;
}
static int add0(void) { return add(0); }
static int add1(void) { return add(1); }
FL_OBJECT(peterson)
FL_OP(int, add0, FL_GROUP("0"))
FL_OP(int, add1, FL_GROUP("1"))
END

# ---- generated clients: the fence is verified on all of them ----
small='--threads 2 --ops 2'
run peterson.c $small --no-save
expect_status 0
run peterson.c $small --memory-model=tso --trace bad.jsonl --json report.json \
  --no-html
expect_status 1
expect_out 'lock\(\) needs a fence between line 9 and line 13'
expect_out 'With it in place, no fault under TSO \(all interleavings of all [0-9,]+ clients'
expect_out 'The races? that decide'
schedule=$(ls .faultline/*.schedule)
run peterson.c $small --memory-model=tso --no-save -- -DFENCE
expect_status 0

# ---- its trace ----
run explain bad.jsonl --json explained.json
expect_status 1
expect_out 'peterson.c, in add\(\)'
run atomicity bad.jsonl --json atomic.json
expect_status 1
[ "$(jq '.traces[0].robust.holds' atomic.json)" = false ] || fail "robust"
[ "$(jq -s 'map(select(.type == "commit")) | length' bad.jsonl)" = \
  "$(jq '[.events[] | select(.kind == "commit")] | length' report.json)" ] ||
  fail "commits of the trace and of the report differ"
# Nothing is lost when a trace is read: each commit finds its store.
jq -c 'select(.type != "commit")' bad.jsonl >no_commits.jsonl
run atomicity no_commits.jsonl
expect_status 1

# ---- the schedule: replayed, exported ----
run replay "$schedule" peterson.c --no-html
expect_status 1
expect_out 'commit counter'
run replay "$schedule" peterson.c --no-html -- -DFENCE
expect_status 0
run export "$schedule" peterson.c -o exported.c
expect_status 0
run exported.c --no-save
expect_status 1
expect_out 'needs a fence'
run export "$schedule" peterson.c -o exported.c -- -DFENCE
run exported.c --no-save -- -DFENCE
expect_status 0

# ---- from long histories to the smallest client ----
long='--threads 2 --ops 10 --no-save --no-html'
run shrink peterson.c $long
expect_status 0
run shrink peterson.c $long --memory-model=tso
expect_status 1
expect_out 'proved minimal\): \{add[01]\(\)\} \|\| \{add[01]\(\)\}'
run shrink peterson.c $long --memory-model=tso -- -DFENCE
expect_status 0
run shrink peterson.c $long --memory-model=tso --coarse=b
expect_status 2
expect_err 'real threads have the memory model of the machine'
# Objects that are their own specification are judged, too.
run shrink examples/racy_counter.c $long
expect_status 1

# ---- samplers draw commits ----
for search in random pct dpct pos; do
  run peterson.c --memory-model=tso --search=$search --no-save --no-html \
    --client '{add0(); add0()} || {add1(); add1()}' --max-executions 3000
  expect_status 1
  run peterson.c --memory-model=tso --search=$search --no-save --no-html \
    --client '{add0(); add0()} || {add1(); add1()}' --max-executions 300 -- -DFENCE
  expect_status 0
done

finish
