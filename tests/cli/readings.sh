#!/bin/bash
# Weaker readings: the harness chooses a criterion, an option and a schedule
# win, and the report says who chose; readings that say nothing are refused at
# the author's line.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report
network=tests/clients/readings/quiescent.c
client='{next(); next()} || {next()} || {next()}'

expect_criterion() { # which, who chose it
  found=$(jq -r '"\(.criterion) \(.criterion_from)"' report.json)
  [ "$found" = "$1 $2" ] || fail "the criterion is '$found', expected '$1 $2'"
}

run $network --client "$client" --json report.json --no-save
expect_status 0
expect_out 'criterion quiescent \(FL_CRITERION\)'
expect_criterion quiescent harness

for search in stateful dpor dfs; do # the same verdict, whoever searches
  run explore $network --client "$client" --search=$search --json report.json \
    --no-save --max-executions 200000
  expect_status 0
  run explore $network --client '{next()} || {next()}' --search=$search \
    --json report.json --no-save -- -DRACY
  expect_status 1
  expect_out 'Why no order that quiescent consistency allows explains them'
done

run $network --client "$client" --criterion=linearizability --json report.json
expect_status 1
expect_out 'criterion linearizability \(FL_CRITERION says quiescent\)'
expect_criterion linearizability option
schedule=$(echo .faultline/*.schedule)
grep -q 'criterion=linearizability' "$schedule" || fail "$(cat "$schedule")"
run replay "$schedule" $network --json report.json
expect_status 1
expect_out 'is not linearizable'
expect_criterion linearizability schedule
run export "$schedule" $network -o exported.c
run exported.c --json report.json --no-save
expect_status 1
expect_criterion linearizability schedule
run shrink $network --client "$client" --criterion=linearizability \
  --json report.json --no-save
expect_status 1
expect_criterion linearizability option

run $network --json report.json --save-dir racy -j2 -- -DRACY
expect_status 1
expect_out 'Why no order that quiescent consistency allows explains them'
run replay racy/*.schedule $network --json report.json -- -DRACY
expect_status 1
expect_criterion quiescent schedule
run shrink $network --client "$client" --json report.json --no-save -- -DRACY
expect_status 1
expect_out 'Why no order that quiescent consistency allows explains them'

# ---- FL_MAY_FAIL ----
ring=tests/clients/readings/may_fail_ring.c
for search in stateful dpor dfs pct; do
  run explore $ring --client '{put(1)} || {get()}; get()' --search=$search \
    --no-save --max-executions 20000
  expect_status 0
done
run $ring --client '{put(1)} || {get()}; get()' --search=stress --no-save \
  --max-executions 50
expect_status 0
run explore $ring --client '{put(1)} || {put(2); get()}' --no-save -- -DSTRICT
expect_status 1
run $ring --client '{put(1)} || {put(2)}; get(); get()' --save-dir lost \
  --json report.json -- -DLOST
expect_status 1
expect_out 'returned -1, alone'
[ "$(jq '[.. | .alone? // empty] | any' report.json)" = true ] ||
  fail 'no explanation says that the call was alone'
run replay lost/*.schedule $ring -- -DLOST
expect_status 1
run export lost/*.schedule $ring -o lost.c -- -DLOST
expect_status 0
run lost.c --no-save -- -DLOST
expect_status 1
run shrink $ring --client '{put(1); put(2)} || {put(3); get()}; get()' --no-save \
  -- -DLOST
expect_status 1
expect_out 'is not linearizable'

# ---- mistakes ----
harness() { # lines behind FL_OBJECT
  printf '%s\n' '#include <faultline.h>' 'static int n;' \
    'static int get(void) { return n; }' 'static void inc(void) { n++; }' \
    'static void *look(void) { return &n; }' 'FL_OBJECT(thing)' "$@" >wrong.c
  run wrong.c --no-save
  expect_status 2
}
harness 'FL_OP(int, get)' 'FL_CRITERION(quiescent)'
expect_err 'wrong.c:8: FL_CRITERION\(quiescent\): thing needs an FL_SPEC'
harness 'FL_OP(int, get, FL_RELAXED)'
expect_err 'wrong.c:7: FL_RELAXED: thing needs an FL_SPEC'
spec='FL_SPEC(counter, get = get, inc = inc)'
harness 'FL_OP(int, get)' 'FL_OP(void, inc, FL_RELAXED)' "$spec"
expect_err 'wrong.c:8: FL_RELAXED: inc returns no number'
harness 'FL_OP(void *, look, FL_RELAXED)' 'FL_SPEC(stack, top = look)'
expect_err 'wrong.c:7: FL_RELAXED: look may wait'
harness 'FL_OP(void, inc, FL_MAY_FAIL(0))'
expect_err 'wrong.c:7: FL_MAY_FAIL: inc returns nothing'
harness 'FL_OP(void *, look, FL_MAY_FAIL(1))'
expect_err 'wrong.c:7: FL_MAY_FAIL: look returns a pointer: expected NULL'
harness 'FL_OP(int, get, FL_MAY_FAIL("none"))'
expect_err 'wrong.c:7: FL_MAY_FAIL: get returns no string'
harness 'FL_OP(int, get, FL_OUT_OF_ORDER(1))'
expect_err 'wrong.c:7: FL_OUT_OF_ORDER: get needs an FL_SPEC with a built-in type'
harness 'FL_OP(int, get, FL_OUT_OF_ORDER(1))' 'FL_SPEC(counter, get = get)'
expect_err 'wrong.c:7: FL_OUT_OF_ORDER: get takes nothing from a queue'
harness 'FL_OP(int, get, FL_OUT_OF_ORDER(-1))' 'FL_SPEC(queue, dequeue = get)'
expect_err 'wrong.c:7: FL_OUT_OF_ORDER\(-1\): expected 0 or more'
harness 'FL_OP(int, get, FL_OUT_OF_ORDER(1), FL_PER_PRODUCER)' \
  'FL_SPEC(queue, dequeue = get)'
expect_err 'wrong.c:7: FL_PER_PRODUCER: get has another order already'
harness 'FL_OP(int, get, FL_PER_PRODUCER)' 'FL_SPEC(stack, pop = get)'
expect_err 'wrong.c:7: FL_PER_PRODUCER: get takes nothing from a queue'
harness 'FL_OP(int, get, FL_BLOCKING)' 'FL_SPEC(barrier, wait = get, ok = 0)'
expect_err 'wrong.c:8: FL_SPEC\(barrier\): say how many calls return together'
harness 'FL_OP(int, get, FL_RELAXED)' 'FL_SPEC(counter, fetch_inc = get)'
expect_err 'wrong.c:7: FL_RELAXED: FL_SPEC says that get changes the object'
printf '%s\n' '#include <faultline.h>' 'static int n;' \
  'static int get(void) { return n; }' 'FL_OBJECT(thing)' 'FL_OP(int, get)' >own.c
run own.c --criterion=quiescent
expect_status 2
expect_err 'own.c:4: --criterion=quiescent: thing needs an FL_SPEC'
finish
