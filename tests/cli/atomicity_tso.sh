#!/bin/bash
# The executions of C sources under TSO: robustness by them and by the monitor
# of SC executions on the litmus tests, budgets, and trace files that are
# written and read again.
. "$(dirname "$0")/common.inc"

ask() { # question, file
  jq -r ".traces[0].$1" "${2:-report.json}"
}
answers() {
  jq -r '.traces[0] | "\(.sc_serializable.holds) \(.tso_serializable.holds) \(.robust.holds)"' report.json
}
expect_answers() {
  [ "$(answers)" = "$1" ] || fail "answers: $(answers), expected $1"
}
# The set of outcomes of the n-th RUN line.
outcomes() { # file, n
  sed -n 's/^ \* OUTCOMES: *//p' "$1" | sed -n "$2p"
}

# ---- litmus tests: who has more outcomes under TSO is not robust ----
seen=0 weak=0
for file in tests/litmus/tso_*.c; do
  case $file in *_plain.c) continue ;; esac
  client=$(sed -n "s/.*--client '\([^']*\)'.*/\1/p" "$file" | head -1)
  run atomicity "$file" --memory-model=tso --no-reduction --client "$client" \
    --json report.json
  sc=$(ask robust.by_sc_executions) tso=$(ask robust.by_tso_executions)
  case $file in
  *mixed_size.c) [ "$sc" = null ] || fail "the monitor knows of sizes: $sc" ;;
  *) [ "$sc" = "$tso" ] || fail "robust by SC executions: $sc, by TSO: $tso" ;;
  esac
  [ "$tso" != null ] || fail "robustness is not determined"
  n=$(grep -c OUTCOMES "$file")
  if [ "$(outcomes "$file" 1)" != "$(outcomes "$file" "$n")" ]; then
    weak=$((weak + 1))
    [ "$tso" = false ] || fail "robust, with other outcomes under TSO"
  fi
  # Theorem 2
  [ "$tso $(ask sc_serializable.holds) $(ask tso_serializable.holds)" != \
    "true true false" ] || fail "robust, SC- and not TSO-serializable"
  seen=$((seen + 1))
done
[ "$seen" -gt 12 ] && [ "$weak" -gt 3 ] || fail "$seen litmus tests, $weak weak"

# ---- the execution that tells a "no", as a trace ----
pool=tests/clients/tso_atomic_pool.c
both='{take_head()} || {take_tail()}'
run atomicity $pool --memory-model=tso --client "$both" --trace no.jsonl \
  --json report.json --dot no.dot
expect_status 1
expect_answers "true false false"
[ "$(ask memory)" = tso ] || fail "memory $(ask memory)"
jq -e '[.traces[0] | .tso_serializable, .robust | .cycle[] | .from, .to]
  | any(.issued and .access == "store") and any(.access == "commit")
    and all(.line and .thread and .transaction and (.file | endswith("pool.c")))' \
  report.json >/dev/null || fail "cycle: $(ask tso_serializable.cycle)"
grep -q 'commit tso_atomic_pool.c' no.dot || fail "no.dot: $(cat no.dot)"
[ "$(jq -s 'map(select(.type == "commit")) | length' no.jsonl)" -gt 0 ] ||
  fail "no commits in the trace"
[ "$(jq -s 'map(select(.type == "begin")) | length' no.jsonl)" = 4 ] ||
  fail "not four blocks in the trace"
cp report.json of_source.json
run atomicity no.jsonl --json report.json
expect_status 1
expect_answers "null false false"
cycle='[.traces[0].tso_serializable.cycle[] | .from, .to
  | "\(.thread) \(.line) \(.access) \(.issued // false)"] | sort | join(", ")'
[ "$(jq -r "$cycle" report.json)" = "$(jq -r "$cycle" of_source.json)" ] ||
  fail "another cycle: $(jq -r "$cycle" report.json)"

# With one task and without blocks, under SC: another trace.
run atomicity examples/racy_counter.c --client '{increment()} || {increment()}' \
  --trace no.jsonl
expect_status 1
run atomicity no.jsonl --json report.json
expect_status 1
expect_answers "false false null"

# The main thread has joined those that ended before its final calls.
step() { # type thread op var
  echo "{\"type\":\"$1\",\"thread\":$2,\"op\":$3,\"var\":\"$4\"}"
}
end='{"type":"thread ends","thread":1}'
final() { step write 0 1 y; step read 0 1 x; }
for joined in yes no; do
  {
    echo '{"type":"trace","version":1}'
    step write 1 0 x
    step read 1 0 y
    [ $joined = no ] || echo "$end"
    final
  } >final.jsonl
  run atomicity final.jsonl --json report.json
  expect_status 0
  [ $joined = no ] && expect_answers "true false false"
  [ $joined = yes ] && expect_answers "true true null"
done

# What was found to be right has no trace.
run atomicity $pool --memory-model=tso --client "$both" --trace no.jsonl -- -DFENCE
expect_status 0
[ ! -s no.jsonl ] || fail "a trace of a serializable client"

# ---- budgets ----
run atomicity $pool --memory-model=tso --client "$both" --max-executions 1 \
  --json report.json -- -DFENCE
expect_status 3
expect_out 'TSO-serializable not determined: stopped after 1 execution \(--max-executions\)'
expect_answers "null null null"
cat >waits.c <<'END'
#include <faultline.h>
static _Atomic unsigned long looks;
static _Atomic int done;
static void wait(void) {
  while (!done)
    looks++;
}
static void end(void) { done = 1; }
FL_OBJECT(gate)
FL_OP(void, wait, FL_BLOCKING)
FL_OP(void, end)
END
run atomicity waits.c --memory-model=tso --client '{wait()} || {end()}' \
  --max-steps 20 --json report.json
expect_status 3
expect_out 'not determined: executions were cut off after 20 extra steps'
# A bounded buffer is said, if it may have mattered.
right='{right1()} || {right2()}'
run atomicity tests/clients/tso_theorem2.c --memory-model=tso --client "$right"
expect_out 'TSO-serializable yes robust'
run atomicity tests/clients/tso_theorem2.c --memory-model=tso --client "$right" --buffer 1
expect_status 0
expect_out 'TSO-serializable yes: with at most 1 stores in a buffer \(--buffer\) robust'

# ---- threads that an operation makes and joins ----
cat >joins.c <<'END'
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
#define MO memory_order_relaxed
static void *other(void *p) {
  atomic_store_explicit(&y, 1, MO);
  *(int *)p = atomic_load_explicit(&x, MO);
  return NULL;
}
static int both(void) {
  pthread_t t;
  static int r;
  pthread_create(&t, NULL, other, &r);
  pthread_join(t, NULL);
  return r;
}
static int a(void) {
  atomic_store_explicit(&x, 1, MO);
  return atomic_load_explicit(&y, MO);
}
FL_OBJECT(joins)
FL_OP(int, both)
FL_OP(int, a)
END
run atomicity joins.c --memory-model=tso --client '{both()} || {a()}' \
  --no-reduction --json report.json
expect_status 1
[ "$(ask robust.by_sc_executions) $(ask robust.by_tso_executions)" = "false false" ] ||
  fail "robust by SC: $(ask robust.by_sc_executions), by TSO: $(ask robust.by_tso_executions)"

# ---- help ----
run atomicity x.c --help
expect_status 0
expect_out 'Usage: faultline atomicity TRACE'
expect_out 'max-executions'
expect_no out 'explore'
run atomicity x.c --deciding-races=off
expect_status 2

# ---- the smallest trace whose answer depends on --keep-order ----
cat >order.jsonl <<'END'
{"type":"trace","version":1,"object":"x","verdict":"unknown","memory":"tso"}
{"type":"write","thread":1,"op":0,"var":"x","file":"x.c","function":"f","line":1,"issued":true}
{"type":"read","thread":1,"op":0,"var":"x","file":"x.c","function":"f","line":2}
{"type":"write","thread":2,"op":1,"var":"x","file":"x.c","function":"g","line":9,"issued":true}
END
run atomicity order.jsonl
grep -q 'TSO-serializable  no$' "$tmp/out" || fail "$(cat "$tmp/out")"
run atomicity order.jsonl --keep-order
grep -q 'TSO-serializable  yes: ' "$tmp/out" || fail "$(cat "$tmp/out")"
finish
