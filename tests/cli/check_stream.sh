#!/bin/bash
# `faultline check --method=online`: operations that never return, and nobody
# says so.
. "$(dirname "$0")/common.inc"

# Twelve processes that are always busy, and take effect when they are called.  Now
# and then one of its own pops or looks, and does not return.  INFO=1: that is
# said; WRONG=n: the result of the n-th call of a pop is another one.
stack() {
  awk -v info="${INFO-}" -v wrong="${WRONG-}" -v calls="$1" '
  function event(kind, p, rest) {
    printf "{\"type\":\"%s\",\"process\":%d%s}\n", kind, p, rest
  }
  BEGIN {
    print "{\"type\":\"history\",\"version\":1,\"spec\":\"stack\"}"
    random = 1
    for (i = 1; i <= calls; i++) {
      p = i % 12
      if (i > 12)
        event("return", p, result[p])
      random = (random * 1103515245 + 12345) % 2147483648
      if (random % 65536 < 32000) {
        event("call", p, ",\"name\":\"push\",\"args\":[" i "]")
        stack[++top] = i
        result[p] = ""
      } else {
        event("call", p, ",\"name\":\"pop\"")
        result[p] = ",\"result\":" (top ? stack[top--] : "null")
        if (i == wrong)
          result[p] = ",\"result\":1000000"
      }
      if (i % 400 == 0) {
        event("call", 1000 + i, ",\"name\":\"" (i % 800 ? "pop" : "peek") "\"")
        if (info)
          event("info", 1000 + i, "")
      }
    }
  }'
}

stack 20000 >open.jsonl
INFO=1 stack 20000 >told.jsonl
run check told.jsonl --method=online
expect_status 0
# Where it is not found out that they never return, this takes minutes: more of a
# processor than there is.
with_asan || ulimit -S -t 60
run check open.jsonl --method=online
expect_status 0
expect_out '^open.jsonl: linearizable \(stack, 20050 operations; online\)'

# What is wrong is found at the same return.
WRONG=19001 stack 20000 >wrong.jsonl
run check wrong.jsonl --method=online
expect_status 1
expect_out "line $(grep -n '"result":1000000}' wrong.jsonl | cut -d: -f1): "

# Several histories in a file; and what is an error is told where it is.
cat open.jsonl told.jsonl open.jsonl >three.jsonl
run check three.jsonl --method=online -q
expect_status 0
expect_out '#3: linearizable \(stack, 20050 operations; online\)'
{
  cat open.jsonl
  echo '{"type":"call","process":1400,"name":"pop"}'
} >twice.jsonl
head -12000 twice.jsonl >short.jsonl
tail -1 twice.jsonl >>short.jsonl
run check short.jsonl --method=online
expect_status 2
expect_err "^faultline: short.jsonl:12001:"
ulimit -S -t unlimited

finish
