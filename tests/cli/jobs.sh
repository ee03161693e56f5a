#!/bin/bash
# Several processes: the result is the same for any number of them, and one
# that is killed costs nothing but time.
. "$(dirname "$0")/common.inc"

# The report without what a clock says.
peaceful() {
  jq -S 'del(.statistics.seconds, .statistics.cpu_seconds, .traces.seconds?,
    .coverage.estimate)' report.json
}
report() { # arguments of the tool
  run "$@" --no-save --json report.json
  [ "$status" -ne 2 ] || {
    fail "status $status" >&2
    sed 's/^/     | /' "$tmp/err" >&2
  }
  peaceful
}

same() {
  report "$@" -j 1 >one
  for n in 2 4; do
    report "$@" -j $n >several
    cmp -s one several || {
      fail "differs from -j 1:"
      diff one several | head -20 | sed 's/^/     | /'
    }
  done
}

# ---- clients ----
for object in afek_stack treiber_stack racy_counter two_lock_queue; do
  same examples/$object.c
done
same tests/clients/papers/pair_snapshot.c # a call that reads against others
same examples/treiber_stack.c --seed 7 --max-executions 3000
same examples/treiber_stack.c --max-executions 37
same examples/treiber_aba.c --heap=reuse
same examples/spinlock.c --search=dfs --threads 2 --ops 2
same examples/racy_counter.c --search=dpor
same examples/treiber_stack.c --search=pct

# ---- one client: subtrees, ranges of seeds, states ----
client='{push(1); pop()} || {push(2); pop()} || {pop()}'
for how in stateful dfs dpor random pct pos; do
  same explore examples/treiber_stack.c --search=$how \
    --client '{push(1); pop()} || {push(2); pop()}'
  same examples/afek_stack.c --search=$how --client '{push(1)} || {pop(); pop()}'
done
same explore examples/treiber_stack.c --search=dfs --client '{push(1)} || {push(2); pop()} || {pop()}' --max-executions 70001
same explore examples/treiber_stack.c --search=pct --client "$client" \
  --max-executions 2500
# More states than one process takes alone.
big='{push(1); pop()} || {push(2); pop()} || {push(3); pop()}'
same explore examples/treiber_stack.c --client "$big"
[ "$(jq .statistics.states report.json)" -gt 20000 ] ||
  fail "not large enough for several processes"
jq -e '.coverage.exhaustive and .statistics.interleavings > 1000000' \
  report.json >/dev/null || fail "the counts of $big"
# Its causes need one second of the 20 that they have; with asan, more.
with_asan || same explore examples/afek_stack.c --client "$big"

# A budget ends it, whoever answers first.
for ((k = 0; k < 5; k++)); do
  run explore examples/treiber_stack.c --client "$big" --max-states 100000 \
    -j 2 --no-save --json report.json
  expect_status 3
  [ "$(jq -r .reason report.json)" = '--max-states ended the search' ] ||
    fail "reason: $(jq -r .reason report.json)"
done

# ---- killed workers ----
# Somebody kills workers while they work; in the end it is as if nothing had
# happened.  An item is given three times, so not too often.
killed() { # arguments of the tool
  what="faultline $* with killed workers"
  report "$@" -j 1 >one
  rm -f report.json
  FAULTLINE_PROGRESS_MS=10 start "$@" -j 2 --no-save --json report.json
  what="faultline $* with killed workers"
  await_err '^faultline: search: '
  local hits=0 last='' workers
  while [ $hits -lt 2 ] && [ -e "/proc/$job/exe" ]; do
    # Workers of the pool: there are two of them only then, and other ones when
    # a killed one has been replaced.
    read -r -a workers 2>/dev/null <"/proc/$job/task/$job/children"
    [ "${#workers[@]}" = 2 ] && [ "${workers[*]}" != "$last" ] || continue
    last=${workers[*]}
    kill -9 "${workers[hits]}" 2>/dev/null && hits=$((hits + 1))
  done
  end_job
  [ "$status" -ne 2 ] || fail "status $status: $(cat "$tmp/err")"
  [ "$hits" -gt 0 ] || fail "no worker was hit"
  peaceful >several
  cmp -s one several || {
    fail "differs from a run in peace"
    diff one several | head -20 | sed 's/^/     | /'
  }
}
killed explore examples/treiber_stack.c --search=dfs --max-executions 700000 \
  --client "$client"
killed explore examples/treiber_stack.c --client "$big"
killed explore examples/treiber_stack.c --search=random --client "$big" \
  --max-executions 200000
killed examples/treiber_stack.c --search=dfs --threads 2 --ops 2 \
  --max-executions 1000000
finish
