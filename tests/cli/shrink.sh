#!/bin/bash
# faultline shrink: histories of any origin become the smallest client, which
# fails when its schedule is replayed and, with one call less, does not fail in
# any interleaving: by dfs, or by states where threads may go round for long.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report
papers=tests/clients/papers

# What the report says of the smallest client is so.
check_minimal() { # file, calls, type, search
  jq -e --argjson n "$2" --argjson type "$3" '
    .minimal.proved and .minimal.type == $type and
    ([.minimal.ps[], .minimal.pc[][], .minimal.pr[]] | length == $n)' \
    report >/dev/null ||
    fail "minimal: $(jq -c '[.client, .minimal]' report), want $2 calls, type $3"
  local less
  run replay "$(jq -r .schedule_file report)" "$1"
  expect_status 1
  jq -r '.minimal as $m |
    def text: join("; ");
    ([range($m.ps | length) as $i |
       $m | .ps |= (.[:$i] + .[$i + 1:])],
     [range($m.pc | length) as $t | range($m.pc[$t] | length) as $i |
       $m | .pc[$t] |= (.[:$i] + .[$i + 1:])],
     [range($m.pr | length) as $i |
       $m | .pr |= (.[:$i] + .[$i + 1:])]) | .[] |
    [(.ps[] | .), ([.pc[] | select(length > 0) | "{\(text)}"] | join(" || ")),
     (.pr[] | .)] | join("; ")' report |
    while read -r less; do
      run explore "$1" --search="${4:-dfs}" --client "$less" --no-save --json less
      [ "$(jq -r .verdict less)" = pass ] || echo "$less fails"
    done >fails
  [ ! -s fails ] || fail "not minimal: $(cat fails)"
}

# The races that decide are told, whatever has found the fault.
check_races() {
  jq -e '(.cdrs | length > 0) and .tree.reason == null' report >/dev/null ||
    fail "races: $(jq -c '[.cdrs, .tree]' report)"
  expect_out 'The races? that decides?:'
}

# Long random clients under the scheduler.
for version in d h; do
  run shrink $papers/lock_free_list.c --coarse=$version --ops 100 --json report
  expect_status 1
  grep -q 'shrunk from 200 calls to 3; proved minimal' "$tmp/out" ||
    fail "no word of the size"
  check_races
  check_minimal $papers/lock_free_list.c 3 1
done
run shrink $papers/bu_list3.c --coarse=h --ops 100 --json report
expect_status 1
calls=$(jq '[.minimal.ps[], .minimal.pc[][], .minimal.pr[]] | length' report)
[ "$calls" -le 5 ] || fail "$calls calls"
check_minimal $papers/bu_list3.c "$calls" 2 stateful
jq -e '.minimal.pc | map(length) == [1, 1]' report >/dev/null ||
  fail "more than a call in each thread"

# Of real threads; what is reported comes from the scheduler all the same.  Which
# of the two smallest clients it is, pop beside pop or beside push, is chance.
run $papers/treiber_no_retry.c --search=stress --no-save --json report
expect_status 1
check_races
run shrink $papers/treiber_no_retry.c --coarse=b --ops 100 --json report \
  --dot graph.dot
expect_status 1
check_races
grep -q 'fillcolor="yellow"' graph.dot || fail "no critical race is drawn"
type=$(jq '.minimal.type // 0' report)
check_minimal $papers/treiber_no_retry.c $((type == 2 ? 5 : 3)) "$type"
jq -e '.minimal.pc | map(length) == [1, 1]' report >/dev/null ||
  fail "more than a call in each thread"

# Long histories in which one thread's call is next to few others: where H comes
# to nothing, the default goes on.
sed 's/FL_INT(1, 3)/FL_INT(0, 99)/' $papers/bu_list1.c |
  sed -e '/^FL_OP(bool, contains/d' -e 's/, contains = contains//' >keys.c
run shrink keys.c --json report --no-save --deciding-races=off
expect_status 1
jq -e '.minimal.from == 1000 and (.minimal.pc | map(length)) == [1, 1] and
  ([.minimal.ps[], .minimal.pr[]] | length < 8)' report >/dev/null ||
  fail "not small: $(jq -c '[.client, .minimal]' report)"

# A fault that needs no concurrency is reported as one.
run shrink $papers/bu_list2.c --ops 50 --json report
expect_status 1
[ "$(jq -r .fault report)" = sequential ] || fail "$(jq -c .fault report)"

# A correct object; histories that do not fail.
run shrink $papers/bu_queue.c --ops 100
expect_status 0

# A history from a file.
cat >lost.history <<'END'
{"type":"history","version":1,"object":"list","threads":2,"operations":8}
{"type":"call","op":0,"thread":1,"name":"add","args":[3]}
{"type":"return","op":0,"thread":1,"result":true}
{"type":"call","op":1,"thread":1,"name":"add","args":[1]}
{"type":"call","op":2,"thread":2,"name":"add","args":[2]}
{"type":"return","op":1,"thread":1,"result":true}
{"type":"return","op":2,"thread":2,"result":true}
{"type":"call","op":3,"thread":1,"name":"contains","args":[3]}
{"type":"return","op":3,"thread":1,"result":true}
{"type":"call","op":4,"thread":2,"name":"contains","args":[1]}
{"type":"return","op":4,"thread":2,"result":false}
END
for version in best d; do
  run shrink lost.history $papers/simple_list.c --coarse=$version --json report
  expect_status 1
  check_races
  check_minimal $papers/simple_list.c \
    "$(jq '[.minimal.ps[], .minimal.pc[][], .minimal.pr[]] | length' report)" \
    "$(jq .minimal.type report)"
  jq -e '.shrink.histories == 1 and .shrink.failing_histories == 1 and
    .minimal.located_pc >= 2 and .minimal.clients_tried > 0' report >/dev/null ||
    fail "figures: $(jq -c '[.shrink, .minimal]' report)"
done
# As docs/history.md has it: processes, and neither header nor numbers.
sed -e 1d -e 's/"op":[0-9]*,//' -e 's/"thread"/"process"/' lost.history >by.jsonl
run shrink by.jsonl $papers/simple_list.c --json report
expect_status 1
jq -e '.minimal.proved and .minimal.from == 5' report >/dev/null ||
  fail "$(jq -c .minimal report)"
run shrink lost.history $papers/simple_list.c -- -DFIXED
expect_status 3
sed '11s/false/true/' lost.history >fine.history
run shrink fine.history $papers/simple_list.c
expect_status 3
grep -q 'is linearizable' "$tmp/out" || fail "does not say why"

# A client that is given.
run shrink $papers/optimistic_queue.c --json report \
  --client '{poll(); offer(3)} || {offer(1); offer(2); poll()}'
expect_status 1
[ "$(jq -r .client report)" = 'offer(1); offer(2); {poll()} || {poll()}' ] ||
  fail "$(jq -r .client report)"

# What fails with a call less in another way is smaller; what does so only with
# more preemptions than were asked for, {pair()} || {twice()}, is no proof.
cat >ways.c <<'END'
#include <assert.h>
#include <faultline.h>
#include <stdatomic.h>
static atomic_int x, inside, quiet;
static int inc(void) {
  if (!atomic_load(&quiet))
    assert(!atomic_fetch_add(&inside, 1));
  int old = atomic_load(&x);
  atomic_store(&x, old + 1);
  if (!atomic_load(&quiet))
    atomic_fetch_sub(&inside, 1);
  return old;
}
static void hush(void) { atomic_store(&quiet, 1); }
static int pair(void) { /* wrong if x changes twice, or once when it is quiet */
  int a = atomic_load(&x), b = atomic_load(&x);
  if (a != b && atomic_load(&quiet))
    return 1;
  return a != b && b != atomic_load(&x);
}
static void twice(void) {
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(&x, 1);
}
FL_OBJECT(ways)
FL_OP(int, inc)
FL_OP(void, hush)
FL_OP(int, pair)
FL_OP(void, twice)
END
run shrink ways.c --client 'hush(); {inc(); inc()} || {inc()}' --no-save \
  --json report
expect_status 1
jq -e '.client == "{inc()} || {inc()}" and .fault == "assert" and
  .minimal.proved' report >/dev/null ||
  fail "$(jq -c '[.client, .fault, .minimal]' report)"
run shrink ways.c --client 'hush(); hush(); {pair()} || {twice()}' --no-save \
  --preemptions=1 --json report
expect_status 1
jq -e '.client == "hush(); {pair()} || {twice()}" and
  .minimal.proved == false and .client_is_minimal == false' report >/dev/null ||
  fail "$(jq -c '[.client, .minimal]' report)"
expect_out 'Failing client \(shrunk from 4 calls to 3; not proved minimal\)'
run shrink ways.c --client 'hush(); hush(); {pair()} || {twice()}' --no-save \
  --json report
expect_status 1
jq -e '.client == "{pair()} || {twice()}" and .minimal.proved' report \
  >/dev/null || fail "$(jq -c '[.client, .minimal]' report)"

# A history that is too hard to check does not outlast --time or --memory, and
# the report says so.  (The first of these took minutes and all memory: no
# process gets more than a minute of a processor.)
with_asan || ulimit -S -t 60
run_for '3 30' shrink --no-save --ops 40000 examples/ms_queue.c
expect_status 3
expect_out 'not checked to the end \(stopped by --(time|memory)\)'
ulimit -S -t unlimited
run shrink --no-save --memory 20M --max-executions 1 --ops 40000 \
  examples/ms_queue.c
expect_status 3
expect_out '1 execution,.* 1 was not checked to the end \(stopped by --memory\)'
grep -v FL_SPEC examples/ms_queue.c >own.c # its own specification
run_for '2 20' shrink --no-save --ops 40000 own.c
expect_status 3
expect_out '1 execution,.* not checked to the end \(stopped by --time\)'

# A history that the object, which is its own specification, cannot have: no
# client fails, by real threads or by the other ways.
cat >counter.c <<'EOF'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void make(void) {
#ifdef FAILS
  __builtin_abort();
#endif
  n = 0;
}
static int next(int by) {
  pthread_mutex_lock(&lock);
  int now = n += by;
  pthread_mutex_unlock(&lock);
  return now;
}
FL_OBJECT(counter, make)
FL_OP(int, next, FL_INT(1, 2))
EOF
cat >impossible.history <<'EOF'
{"type":"history","version":1,"object":"counter"}
{"type":"call","process":1,"name":"next","args":[1]}
{"type":"call","process":2,"name":"next","args":[1]}
{"type":"return","process":1,"result":1}
{"type":"return","process":2,"result":1}
{"type":"call","process":1,"name":"next","args":[2]}
{"type":"return","process":1,"result":4}
EOF
for version in b d h best; do
  run shrink --no-save impossible.history counter.c --coarse=$version
  expect_status 3
  expect_out 'no fault in|none of'
done
run shrink --no-save impossible.history counter.c -- -DFAILS
expect_status 1
expect_out 'not checked: the object cannot be made'

# Input that is wrong.
sed '4s/add/insert/' lost.history >wrong.history
run shrink wrong.history $papers/simple_list.c
expect_status 2
grep -q 'wrong.history:4: the object has no operation insert' "$tmp/err" ||
  fail "$(cat "$tmp/err")"
sed '11d' lost.history | sed '3d' >wrong.history
run shrink wrong.history $papers/simple_list.c
expect_status 2
run shrink lost.history
expect_status 2

# What shrink has no use for is refused, not ignored.
run shrink lost.history $papers/simple_list.c --client '{add(1)} || {add(2)}'
expect_status 2
expect_err 'give a history \(lost\.history\) or --client, not both'
run shrink $papers/simple_list.c --search=dfs
expect_status 2
expect_err '--search: shrink takes dpct or random, not dfs'
run shrink $papers/simple_list.c --coarse=b --search=random
expect_status 2
expect_err '--search=random applies only to random clients that the scheduler runs'
for option in --init=1 --patch=x.diff; do
  run shrink $papers/simple_list.c "$option"
  expect_status 2
  expect_err "unknown option ${option%=*}"
done
run $papers/simple_list.c --coarse=h
expect_status 2
expect_err '--coarse is an option of faultline shrink only'

finish
