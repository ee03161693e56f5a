#!/bin/bash
# What a long command says of itself: one line on a terminal, which is erased at
# the end; a line now and then elsewhere; with -v a line at every phase.
# FAULTLINE_PROGRESS_MS makes the times short (tests/unit/base/progress.c has a
# clock of its own for what they are without it), and a search that would go on
# for ever is interrupted when it has said what it should.
. "$(dirname "$0")/common.inc"
export FAULTLINE_PROGRESS_MS=10
ever='--time 100000'
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

# The same until a line was drawn that matches.
until_drawn() { # regular expression, columns, arguments
  local regex=$1 columns=$2 chunk
  shift 2
  what="faultline $* (terminal, $columns columns)"
  rm -f "$tmp/terminal"
  mkfifo "$tmp/terminal"
  TERM=xterm script -qec "stty cols $columns; echo \$\$ >'$tmp/pid'
    exec$(printf ' %q' "$FAULTLINE" "$@")" /dev/null </dev/null \
    >"$tmp/terminal" 2>&1 &
  exec 7<"$tmp/terminal"
  : >"$tmp/screen"
  while IFS= read -r -d "$esc" chunk <&7; do
    printf '%s%s' "$chunk" "$esc" >>"$tmp/screen"
    chunk=${chunk//$'\r'/}
    [[ ! ${chunk#'[K'} =~ $regex ]] || break
  done
  kill -INT "$(cat "$tmp/pid")" || fail "no '$regex': $(cat -v "$tmp/screen")"
  cat <&7 >>"$tmp/screen"
  exec 7<&-
  wait $!
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
  # How far, findings, counts and rate.
  until_drawn '^search: [0-9]+ of 100000 s, no fault, [0-9,]+ clients, [0-9,]+ executions, [0-9,]+/s' \
    80 --no-save $ever examples/treiber_stack.c
  expect_status 3
  expect_clean search

  on_terminal 80 --no-save examples/ms_queue.c
  expect_status 0
  drawn '^search: part [123] of 3, [0-9]+ %, no fault, [0-9,]+ clients' \
    >/dev/null || fail "how far without a bound: $(cat -v "$tmp/screen")"
  expect_clean search
  grep -q 'no fault found in' "$tmp/left" || fail "the result is mixed with it"
  # The width is used, and kept to.
  until_drawn '^search: .{21}' 30 --no-save $ever examples/treiber_stack.c
  expect_status 3
  [ -z "$(drawn '^search: .{22}')" ] || fail "wider than the terminal"
  # One client: how much there is in all.
  until_drawn '^search: about [0-9.]+ % of [0-9.]+ .*, no fault, 1 client, [0-9,]+ executions' \
    100 explore --no-save --search=dfs -j1 $ever examples/ms_queue.c --client \
    '{enqueue(1); dequeue()} || {enqueue(2); dequeue()}'
  expect_clean search
  until_drawn '^stress: [0-9]+ of 100000 s, no fault, .*executions' \
    100 --no-save --search=stress $ever examples/two_lock_queue.c
  expect_status 3
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
start --no-save $ever examples/treiber_stack.c
await_err '^faultline: search: [0-9]+ of 100000 s, no fault, [0-9,]+ clients' &&
  kill -INT $job
end_job
expect_status 3
expect_no err "$esc"
expect_no out 'faultline: search'
start shrink --no-save $ever --ops 5000 examples/treiber_stack.c
await_err '^faultline: shrink: [0-9]+ of 100000 s' && kill -INT $job
end_job
expect_status 3
# A large history, and many.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"register\"}"
  for (i = 1; i <= 400000; i++) {
    p = i % 7
    printf "{\"type\":\"call\",\"process\":%d,\"name\":\"write\",\"args\":[%d]}\n", p, i
    printf "{\"type\":\"return\",\"process\":%d}\n", p
  }
}' >long.jsonl
FAULTLINE_PROGRESS_MS=0 run check long.jsonl # at once: it may take less
expect_status 0
expect_err 'faultline: check: [0-9]+ s, no fault'
run check -v long.jsonl
grep -Eq '^faultline: check: 1 history, [0-9]+\.[0-9]+ s$' "$tmp/err" ||
  fail "check -v: $(cat "$tmp/err")"

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
