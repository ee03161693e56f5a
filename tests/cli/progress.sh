#!/bin/bash
# What a long command says of itself: one line on a terminal, which is erased at
# the end; a line now and then elsewhere; with -v a line at every phase.
# FAULTLINE_PROGRESS_MS makes the times short, for tests.
. "$(dirname "$0")/common.inc"
export FAULTLINE_PROGRESS_MS=100
esc=$(printf '\033')

# on_terminal COLUMNS ARGUMENTS: what a terminal gets, in $tmp/screen.
on_terminal() {
  columns=$1
  shift
  what="faultline $* (terminal, $columns columns)"
  words=$(printf ' %q' "$FAULTLINE" "$@")
  TERM=xterm script -qec "stty cols $columns; exec$words" /dev/null \
    </dev/null >"$tmp/screen" 2>&1
  status=$?
}

# Each line that was drawn, one a line.
drawn() {
  tr -d '\r' <"$tmp/screen" | sed "s/$esc\\[K/\\n/g" | grep -E "$1"
}

# The screen is as if no line had ever been drawn: what is drawn begins with
# "erase", and the last erase comes before the results.
expect_clean() {
  tr -d '\r' <"$tmp/screen" | sed "s/.*$esc\\[K//" | sed "s/$esc\\[[0-9;]*m//g" \
    >"$tmp/left"
  if grep -Eq "^($1): .*(no fault,|[0-9]/s)" "$tmp/left"; then
    fail "a line is left on the screen"
  fi
}

if command -v script >/dev/null; then
  on_terminal 80 --no-save --time 2 examples/treiber_stack.c
  expect_status 0
  drawn '^search: [0-9]+ of 2 s, no fault, [0-9,]+ clients, [0-9,]+ executions, [0-9,]+/s' \
    >/dev/null || fail "how far, findings, counts and rate: $(cat -v "$tmp/screen")"
  expect_clean search

  on_terminal 80 --no-save examples/ms_queue.c
  expect_status 0
  drawn '^search: part [123] of 3, [0-9]+ %, no fault, [0-9,]+ clients' \
    >/dev/null || fail "how far without a bound: $(cat -v "$tmp/screen")"
  expect_clean search
  grep -q 'no fault found in' "$tmp/left" || fail "the result is mixed with it"
  on_terminal 30 --no-save --time 2 examples/treiber_stack.c
  expect_status 0
  [ -z "$(drawn '^search: .{22}')" ] || fail "wider than the terminal"
  [ -n "$(drawn '^search: .{21}')" ] || fail "the width is not used"
  # One client: how much there is in all.
  on_terminal 100 explore --no-save --search=dfs -j1 --time 3 \
    examples/ms_queue.c --client \
    '{enqueue(1); dequeue()} || {enqueue(2); dequeue()}'
  drawn '^search: about [0-9.]+ % of [0-9.]+ .*, no fault, 1 client, [0-9,]+ executions' \
    >/dev/null || fail "no estimate: $(cat -v "$tmp/screen")"
  expect_clean search
  on_terminal 100 --no-save --search=stress --time 2 examples/two_lock_queue.c
  expect_status 0
  [ -n "$(drawn '^stress: [0-9]+ of 2 s, no fault, .*executions')" ] ||
    fail "stress: $(cat -v "$tmp/screen")"
  expect_clean stress
  # What comes after the search of a fault.
  on_terminal 100 --no-save --max-executions 3000 --patch p.diff \
    examples/gallery/lru_cache.c -- -DWRONG
  expect_status 1
  [ -n "$(drawn '^(verify|patch|causes|smaller blocks|count|label): .*1 fault')" ] ||
    fail "nothing of the causes: $(cat -v "$tmp/screen")"
  expect_clean 'search|verify|patch|causes|label|count|smaller blocks'
else
  echo "skipped: there is no script, so terminals are not tested"
fi

# Not a terminal: lines on standard error, and none of the results there.
run --no-save --time 2 examples/treiber_stack.c
expect_status 0
expect_err 'faultline: search: [0-9]+ of 2 s, no fault, [0-9,]+ clients'
expect_no err "$esc"
expect_no out 'faultline: search'
FAULTLINE_PROGRESS_MS=10 run shrink --no-save --time 5 --ops 5000 examples/treiber_stack.c
expect_err 'faultline: shrink: [0-9]+ of 5 s'
# A large history, and many.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"register\"}"
  for (i = 1; i <= 400000; i++) {
    p = i % 7
    printf "{\"type\":\"call\",\"process\":%d,\"name\":\"write\",\"args\":[%d]}\n", p, i
    printf "{\"type\":\"return\",\"process\":%d}\n", p
  }
}' >long.jsonl
FAULTLINE_PROGRESS_MS=10 run check long.jsonl # it takes less than 100 ms
expect_status 0
expect_err 'faultline: check: [0-9]+ s, no fault'
run check -v long.jsonl
grep -Eq '^faultline: check: 1 history, [0-9]+\.[0-9]+ s$' "$tmp/err" ||
  fail "check -v: $(cat "$tmp/err")"
# Seconds pass here before a line appears.
unset FAULTLINE_PROGRESS_MS
run --no-save --max-executions 2000 examples/treiber_stack.c
expect_status 0
expect_no err '.'

# -v: every phase, with counts and time.
what="faultline -v --patch"
TMPDIR=$tmp/tmp "$FAULTLINE" -v --no-save --patch p2.diff examples/afek_stack.c \
  >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
time='[0-9]+\.[0-9]+ s$'
counts="[0-9,]+ clients?, [0-9,]+ executions?, $time"
for line in "compile: $time" "probe: $time" "sequences: $counts" \
  "search: $counts" "shrink: $counts" "causes: .*$time" "verify: $counts" \
  "patch: .*$time" "label: .*$time"; do
  grep -Eq "^faultline: $line" "$tmp/err" || {
    fail "no line '$line'"
    grep '^faultline' "$tmp/err"
  }
done
rm -rf tmp/faultline-*
finish
