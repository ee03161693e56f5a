#!/bin/bash
# Histories on which other checkers give the wrong answer, crash, do not come to
# an end or write what nobody can open.
. "$(dirname "$0")/common.inc"

# Lines "process call name [argument]" and "process return [result]".
history() { # type
  awk -v type="$1" 'BEGIN {
    printf "{\"type\":\"history\",\"version\":1,\"spec\":\"%s\"}\n", type
  }
  $2 == "call" {
    printf "{\"type\":\"call\",\"process\":%d,\"name\":\"%s\",\"args\":[%s]}\n", $1, $3, $4
  }
  $2 == "return" {
    printf "{\"type\":\"return\",\"process\":%d%s}\n", $1, $3 == "" ? "" : ",\"result\":" $3
  }'
}
# One after the other: "name argument result", - for none.
sequence() { # type, operations
  type=$1
  shift
  for op; do
    set -- $op
    [ "$2" = - ] && set -- "$1" "" "${3-}"
    echo "1 call $1 $2"
    echo "1 return ${3-}"
  done | history "$type"
}
# By every way to decide it.
expect_everywhere() { # status, file
  for how in '' --no-monitor --method=frontier --method=linearize \
    --method=hitting; do
    run check "$2" $how
    expect_status "$1"
  done
}

sequence queue 'enq 1' 'deq - null' >empty.jsonl
expect_everywhere 1 empty.jsonl

sequence stack 'push 1' 'peek - 1' 'pop - 1' >peek.jsonl
expect_everywhere 0 peek.jsonl

sequence queue 'enq 1' 'enq 2' 'deq - 2' >order.jsonl
expect_everywhere 1 order.jsonl
run check order.jsonl
expect_out '3 operations that no order explains'

sequence queue 'enq 1' 'enq 2' >left.jsonl
expect_everywhere 0 left.jsonl

sequence queue 'deq - null' 'enq 1' 'deq - 1' 'deq - null' >nothing.jsonl
expect_everywhere 0 nothing.jsonl

# Many processes, all of them busy at once.
for n in 64 65 100 10000; do
  {
    seq "$n" | sed 's/\(.*\)/\1 call write \1/'
    seq "$n" | sed 's/$/ return/'
    echo "1 call read"
    echo "1 return 2"
  } | history register >"wide.jsonl"
  run check wide.jsonl
  expect_status 0
  sed 's/"result":2/"result":-2/' wide.jsonl >wide_bad.jsonl
  run check wide_bad.jsonl
  expect_status 1
done
# And without a monitor, on values that repeat.
{
  seq 100 | awk '{print $1, "call write", $1 % 3}'
  seq 100 | sed 's/$/ return/'
  echo "1 call read"
  echo "1 return 2"
} | history register >repeated.jsonl
run check repeated.jsonl --no-monitor
expect_status 0

# A limit of time, and one of memory, hold.  Every order of the appends is as
# good as another, and none is good.
{
  for i in $(seq 26); do echo "$i call append \"k\",\"a$i;\""; done
  for i in $(seq 26); do echo "$i return"; done
  echo '1 call get "k"'
  echo '1 return "a1;b"'
} | history kv >hard.jsonl
for method in auto online; do
  ulimit -S -t 10 # of a processor, however long that takes
  run check hard.jsonl --no-monitor --method=$method --time 1
  expect_status 3
  expect_out 'Not decided: time ran out'
  ulimit -S -t unlimited
done
run check hard.jsonl --no-monitor --memory 60M --time 100000
expect_status 3
expect_out 'Not decided: memory ran out'

# A page for 3,000 operations is small.
awk 'BEGIN {
  for (i = 1; i <= 1500; i++) {
    print i % 7, "call write", i
    print i % 7, "return"
    print i % 5 + 10, "call read"
    print i % 5 + 10, "return", (i == 1400 ? 3 : i)
  }
}' | history register >page.jsonl
run check page.jsonl --html page.html
expect_status 1
[ "$(wc -c <page.html)" -lt 1000000 ] || fail "a page of $(wc -c <page.html)"

finish
