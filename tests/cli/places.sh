#!/bin/bash
# Which line is named: the caller of a primitive, the object and not its test,
# the header of a library that is at fault; with both compilers, -O0 to -O2.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report
cp "$SOURCE_DIR"/tests/cli/places/* .

line() { # file, mark
  grep -n "/\* $2 \*/\|// $2" "$1" | cut -d: -f1
}

# The best cause is the lines from "first" to "last" of the file.
blames() { # file, function
  best=$(jq -r '.causes[0].blocks[] | "\(.file):\(.first)-\(.last) \(.function)"' \
    report.json)
  wanted="$1:$(line "$1" first)-$(line "$1" last) $2"
  [ "$best" = "$wanted" ] || fail "blamed: $best, expected $wanted"
}

each() { # what to expect, then files; flags in $flags
  local expects=$1 cc o
  shift
  for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skipped: no $cc" && continue; }
    for o in 0 1 2; do
      run "$@" --cc $cc --no-save --no-html --json report.json --time 20 -- \
        -O$o $flags
      expect_status 1
      $expects
    done
  done
}

# ---- primitives ----

# Every step of the execution, and every race, is in the file of the algorithm.
nowhere_else() { # file
  others=$(jq -r '[.rows[] | select(.kind == "step") | .file] +
    [.cdrs[].races[].accesses[].file] | unique | .[]' report.json)
  [ "$others" = "$1" ] || fail "steps in: $others"
}
highest() {
  blames highest.c add
  nowhere_else highest.c
  expect_out "^highest.c:$(line highest.c first):[0-9]*: error: add\(\) (is not|checks)"
  # The instruction itself is there, too.
  [ "$(jq -r '[.events[].access.file // empty] | unique | .[]' report.json |
    grep -c 'atomics.h')" -ge 1 ] || fail "no access in atomics.h"
}
flags=
each highest highest.c

# ---- the test in another file ----

add() {
  blames box.c box_add
  nowhere_else box.c
}
flags=-DADD
each add box.c box_test.c

swap() {
  expect_out '^box_test.c:[0-9:]*: error: swap\(\) is not linearizable: it calls'
  expect_out 'swap\(\) calls box_get\(\) \(line 7\), then box_set\(\) \(line 8\)'
  expect_no out 'must be atomic|Verified|To make'
  [ "$(jq -r .composition report.json)" = \
    'swap() calls box_get() (line 7), then box_set() (line 8)' ] ||
    fail "composition: $(jq .composition report.json)"
}
flags=-DSWAP
each swap box.c box_test.c

run box.c box_test.c --no-save --no-html --patch p.diff -- -DSWAP
expect_status 1
[ ! -e p.diff ] || fail "a patch of the test"
expect_out 'None was written: no lines of the object are known'

locked() { blames locked_test.c take; }
flags=
each locked locked_test.c

bank() {
  blames bank.c deposit
  expect_no out 'Calls that the test makes'
}
each bank bank.c

# ---- libraries ----

run container.cpp --no-save --no-html --json report.json --time 20
expect_status 1
[ "$(jq -r '[.causes[0].blocks[].file] | unique | .[]' report.json)" = \
  container.cpp ] || fail "blamed: $(jq -c '.causes[0].blocks' report.json)"

# The library may be repaired: then there is nothing to find.
run explore semaphore.cpp --no-save --no-html --json report.json --time 30 \
  --client 'put(); {get()} || {get(); put()}' -- -std=c++20
if [ "$status" = 1 ]; then
  jq -e '.causes[0].blocks | all(.file | startswith("/usr/"))' report.json \
    >/dev/null || fail "blamed: $(jq -c '.causes[0].blocks' report.json)"
  expect_out '^/usr/.*: error: get\(\) sleeps for ever: put\(\) changes .* and wakes at'
  expect_out ' semaph[^ ]*_base\.h:[0-9]+ rmw ' # the library's data, its own line
  expect_out " semaphore.cpp:$(line semaphore.cpp 'called from'):[0-9]*: note: called from"
  expect_out 'This is code of a library: /usr/'
else
  echo "skipped: the C++ library has no such fault, or no semaphore"
fi

# ---- crashes ----

freed() {
  blames freed.c pop
  expect_out "error: use after free of node in pop\(\): .* between line $(line freed.c first) and line"
}
flags=
each freed freed.c

finish
