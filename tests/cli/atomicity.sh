#!/bin/bash
# Are transactions serializable?  Traces from files.
. "$(dirname "$0")/common.inc"

expect_out() { grep -qF -- "$1" "$tmp/out" || fail "no \"$1\" in: $(cat "$tmp/out")"; }
expect_err() { grep -qF -- "$1" "$tmp/err" || fail "no \"$1\" in: $(cat "$tmp/err")"; }
answers() { # sc, tso, robust of the first trace
  jq -r '.traces[0] | "\(.sc_serializable.holds) \(.tso_serializable.holds) \(.robust.holds)"' report.json
}
expect_answers() {
  [ "$(answers)" = "$1" ] || fail "answers: $(answers), expected $1"
}

# ---- STD files ----
cat >lost.std <<'END'
T0|begin|1
T0|r(V1)|2
T1|begin|1
T1|r(V1)|2
T1|w(V1)|3
T1|end|4
T0|w(V1)|3
T0|end|4
END
run atomicity lost.std --json report.json --dot cycle.dot
expect_status 1
expect_out "SC-serializable   no"
expect_out "line 2 (2): thread T0, transaction 1: read V1"
expect_answers "false false null"
[ "$(jq -r '.traces[0].cycle | length' report.json)" = 2 ] || fail "no cycle of two"
[ "$(jq -r '[.traces[0].cycle[].from.thread] | sort | join(" ")' report.json)" = "T0 T1" ] ||
  fail "threads of the cycle"
grep -q '"1: thread T0, transaction 1" -> "1: thread T1, transaction 2"' cycle.dot ||
  fail "cycle.dot: $(cat cycle.dot)"

cat >locked.std <<'END'
T0|begin|1
T0|acq(L)|2
T0|w(V1)|3
T0|rel(L)|4
T0|end|5
T1|begin|1
T1|acq(L)|2
T1|w(V1)|3
T1|rel(L)|4
T1|end|5
END
run atomicity locked.std --json report.json
expect_status 0
expect_answers "true true null"
expect_out "no access conflicts with a store that may be in a buffer (Theorem 2"
# All transactions end with a fence.
cat >fenced.std <<'END'
T0|begin|1
T0|r(V1)|2
T1|begin|1
T1|w(V1)|3
T1|acq(A)|4
T1|end|4
T0|w(V1)|3
T0|acq(B)|4
T0|end|4
END
run atomicity fenced.std --json report.json
expect_status 1
expect_answers "false false null"
expect_out "every transaction ends with a fence (Theorem 3"
[ "$(jq -r '.traces[0].tso_serializable.cycle | length' report.json)" = 2 ] ||
  fail "no cycle of two"
# More events than are kept: the theorems need none of them.
seq 400001 | sed 's/.*/T0|begin|1\nT0|acq(L)|1\nT0|w(V1)|1\nT0|rel(L)|1\nT0|end|1/' >many.std
run atomicity many.std --json report.json
expect_status 0
expect_answers "true true null"
expect_out "no access conflicts with a store that may be in a buffer (Theorem 2"
cat fenced.std many.std >many_fenced.std
run atomicity many_fenced.std --json report.json
expect_status 1
expect_answers "false false null"
expect_out "every transaction ends with a fence (Theorem 3"
rm many.std many_fenced.std
gzip -k lost.std
run atomicity lost.std.gz
expect_status 1
run atomicity <(cat lost.std)
expect_status 1
expect_out ": 8 events, 2 transactions"
run atomicity locked.std lost.std
expect_status 1
expect_out "2 traces: 1 serializable, 1 not, 0 not determined"

# ---- our files ----
header='{"type":"trace","version":1,"object":"counter"}'
step() { # type thread op var line
  echo "{\"type\":\"$1\",\"thread\":$2,\"op\":$3,\"var\":\"$4\",\"file\":\"src/counter.c\",\"function\":\"add\",\"line\":$5}"
}
{
  echo "$header"
  step read 1 0 n 7
  step read 2 1 n 7
  step write 1 0 n 8
  step write 2 1 n 8
} >counter.jsonl
run atomicity counter.jsonl --json report.json
expect_status 1
expect_out "counter.c:7 in add(): thread 1, operation 0: read"
expect_out "counter.c:8 in add(): thread 2, operation 1: write"
expect_answers "false false null"

# The same accesses, each by itself: blocks that are marked count alone.
{
  echo "$header"
  echo '{"type":"begin","thread":1}'
  step read 1 0 n 7
  echo '{"type":"end","thread":1}'
  step read 2 1 n 7
  step write 1 0 n 8
  step write 2 1 n 8
} >blocks.jsonl
run atomicity blocks.jsonl
expect_status 0

# ---- TSO: store buffering, with commits and without ----
tso='{"type":"trace","version":1,"memory":"tso"}'
{
  echo "$tso"
  step write 1 0 x 3
  step write 2 1 y 7
  step read 1 0 y 4
  step read 2 1 x 8
  echo '{"type":"commit","thread":1}'
  echo '{"type":"commit","thread":2,"var":"y"}'
} >sb.jsonl
run atomicity sb.jsonl --json report.json
expect_status 1
expect_answers "null false false"
expect_out "counter.c:3 in add(): thread 1, operation 0: commit"
grep -v commit sb.jsonl >sb_trace.jsonl
run atomicity sb_trace.jsonl --json report.json
expect_status 1
expect_answers "null false null"
# With a fence in each, none of it.
{
  echo "$tso"
  step write 1 0 x 3
  echo '{"type":"commit","thread":1}'
  echo '{"type":"fence","thread":1,"op":0}'
  step read 1 0 y 4
  step write 2 1 y 7
  echo '{"type":"commit","thread":2}'
  echo '{"type":"fence","thread":2,"op":1}'
  step read 2 1 x 8
} >fenced.jsonl
run atomicity fenced.jsonl --json report.json
expect_status 0
expect_answers "null true null"

# ---- bad files ----
bad() { # reason; the file is bad
  rm -f report.json
  run atomicity bad --json report.json
  expect_status 2
  expect_err "$1"
  [ ! -e report.json ] || fail "a report of a bad file"
}
printf 'T0|r(x)|1\nT0|end|2\n' >bad
bad "bad:2: end without begin in thread T0"
printf 'T0|begin|1\n' >bad
bad "bad:1: begin without end in thread T0"
printf 'T0|join(T5)|1\n' >bad
bad "bad:1: join of an unknown thread T5"
{ echo "$header"; echo '{"type":"end","thread":1}'; } >bad
bad "bad:2: end without begin in thread 1"
{ echo "$header"; echo '{"type":"begin","thread":1}'; step read 1 0 x 1; } >bad
bad "bad:2: begin without end in thread 1"
{ echo "$header"; echo '{"type":"join","thread":1,"value":9}'; } >bad
bad "bad:2: join: unknown thread 9"
{ echo "$tso"; echo '{"type":"commit","thread":1}'; } >bad
bad "bad:2: commit without issue: no store of thread 1 is in its buffer"
{ echo "$tso"; step write 1 0 x 1; step write 1 0 y 2
  echo '{"type":"commit","thread":1,"var":"y"}'; } >bad
bad "bad:4: commit of a store that is not the oldest in the buffer"
{ echo "$header"; step write 1 0 x 1; echo '{"type":"commit","thread":1}'; } >bad
bad "bad:3: commit in a trace whose header has no"
echo '{"type":"trace","version":1,"memory":"arm"}' >bad
bad 'bad:1: unknown memory model "arm"'
rm -f bad
bad "bad"
run atomicity - # standard input is empty
expect_status 2
expect_err "the file has no trace"
run atomicity
expect_status 2

# ---- C sources ----
cat >blocks.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
static atomic_int x, y;
static int one(void) {
  FL_ATOMIC_BEGIN;
  int r = y;
  FL_ATOMIC_END;
  return r;
}
static int apart(void) { /* two transactions, that of set between them */
  int r = x;
  FL_ATOMIC_BEGIN;
  r += y;
  FL_ATOMIC_END;
  return r;
}
static int both(void) {
  FL_ATOMIC_BEGIN;
  int r = x;
  r += y;
  FL_ATOMIC_END;
  return r;
}
static void set(void) {
  FL_ATOMIC_BEGIN;
  x = 1;
  y = 1;
  FL_ATOMIC_END;
}
FL_OBJECT(blocks)
FL_OP(int, one)
FL_OP(int, apart)
FL_OP(int, both)
FL_OP(void, set)
END
run atomicity blocks.c --client '{one()} || {set()}' --json report.json
expect_status 0
expect_answers "true true true"
run atomicity blocks.c --client '{apart()} || {set()}' --json report.json
expect_status 1
expect_answers "false false true"
expect_out "in apart(): thread 1, call 1 (apart): load x"
run atomicity blocks.c --client '{both()} || {set()}' --json report.json
expect_status 1
expect_answers "false false true"
expect_out "blocks.c:19 in both(): thread 1, call 1 (both), block 1: load x"
expect_out "blocks.c:27 in set(): thread 2, call 2 (set), block 1: store y"
cat >sb.c <<'END'
#include <faultline.h>
#include <stdatomic.h>
static atomic_int x, y;
#define MO memory_order_relaxed
static int a(void) { return atomic_store_explicit(&x, 1, MO), atomic_load_explicit(&y, MO); }
static int b(void) { return atomic_store_explicit(&y, 1, MO), atomic_load_explicit(&x, MO); }
static int af(void) { return atomic_store(&x, 1), atomic_load(&y); }
static int bf(void) { return atomic_store(&y, 1), atomic_load(&x); }
FL_OBJECT(sb)
FL_OP(int, a)
FL_OP(int, b)
FL_OP(int, af)
FL_OP(int, bf)
END
run atomicity sb.c --client '{a()} || {b()}' --json report.json
expect_status 1
[ "$(jq .traces[0].robust.holds report.json)" = false ] || fail "robust without fences"
run atomicity sb.c --client '{af()} || {bf()}' --json report.json
[ "$(jq .traces[0].robust.holds report.json)" = true ] || fail "not robust with fences"
run atomicity examples/racy_counter.c
expect_status 1
expect_out "racy_counter.c:17 in increment(): thread 1"
expect_out "clients:"
run atomicity blocks.c --client '{nothing()} || {set()}'
expect_status 2
echo 'int f(' >broken.c
run atomicity broken.c
expect_status 2

finish
