#!/bin/bash
# The same seed gives the same report, byte for byte: for any number of
# processes, with and without address space randomisation, beside other work.
# Budgets count executions: nothing here depends on a clock.
. "$(dirname "$0")/common.inc"

same_report() { # what is different, then a command before the tool's
  local how=$1
  shift
  what="$how: faultline ${args[*]}"
  "$@" "$FAULTLINE" "${args[@]}" --no-save --no-html </dev/null >"$tmp/again" \
    2>"$tmp/err"
  [ $? = "$status" ] || fail "not status $status"
  cmp -s "$tmp/first" "$tmp/again" || {
    fail "another report than that of -j 1:"
    diff "$tmp/first" "$tmp/again" | head -20 | sed 's/^/     | /'
  }
}

randomised=(env)
setarch -R true 2>/dev/null && randomised=(setarch -R)

same() { # status, then arguments of the tool
  local expected=$1 jobs
  shift
  run "$@" --no-save --no-html -j 1
  expect_status "$expected"
  cp "$tmp/out" "$tmp/first"
  for jobs in 1 2 7 66; do
    args=("$@" -j $jobs)
    same_report "again" env
  done
  args=("$@" -j 2)
  same_report "without randomisation" "${randomised[@]}"
}

busy() {
  while :; do :; done
}
busy &
first=$!
busy &
second=$!
trap 'kill $first $second 2>/dev/null; rm -rf "$tmp"' EXIT

same 1 examples/racy_counter.c
same 1 examples/treiber_aba.c --client '{push(1); pop()} || {pop(); push(2)}'
same 0 examples/treiber_stack.c --max-executions 2000
same 1 tests/clients/lost_wakeup.c
same 0 examples/ring.c --search=pct --seed 7 --max-executions 2000
same 1 explore tests/clients/prog_many_threads.c
# More states than one process takes alone, more processes than share them.
same 0 explore examples/treiber_stack.c --client \
  '{push(1); pop()} || {push(2); pop()} || {push(3); pop()}'

finish
