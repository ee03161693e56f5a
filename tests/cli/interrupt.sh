#!/bin/bash
# Ctrl-C ends the search in order: what was done is told, nothing is left.
. "$(dirname "$0")/common.inc"
for signal in INT TERM; do
  what="signal $signal"
  # A job in the background of a script ignores INT unless it asks for it.
  TMPDIR=$tmp/tmp bash -c 'trap - INT; exec "$@"' - env --default-signal=INT \
    "$FAULTLINE" examples/treiber_stack.c --time 60 --json report.json \
    >"$tmp/out" 2>"$tmp/err" &
  job=$!
  for ((i = 0; i < 200; i++)); do # until the search runs, in its worker
    [ -n "$(cat /proc/$job/task/$job/children 2>/dev/null)" ] &&
      ls "$tmp"/tmp/faultline-*/*.so >/dev/null 2>&1 && break
    sleep 0.05
  done
  sleep 0.5
  kill -$signal $job
  wait $job
  status=$?
  expect_status 3
  expect_out 'stack: inconclusive: interrupted'
  jq -e '.verdict == "unknown" and .reason == "interrupted"' report.json \
    >/dev/null || fail "report.json"
  [ -z "$(ls "$tmp/tmp")" ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
  rm -f report.json
done
finish
