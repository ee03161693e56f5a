#!/bin/bash
# Every strategy: what it says of itself, that the same seed runs the same
# executions, that what it finds is replayed, and what it cannot do is refused.
. "$(dirname "$0")/common.inc"

json() { jq -r "$1" report.json; }
expect_json() { # filter, value
  found=$(json "$1")
  [ "$found" = "$2" ] || fail "$1 is '$found', expected '$2'"
}

cat >cell.c <<'END'
#include <faultline.h>
static int cell, other;
static int next(void) { return ++cell; }
static int fine(void) { return __atomic_add_fetch(&other, 1, 5); }
static int several(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (__atomic_load_n(&other, 5))
      sum += __atomic_load_n(&cell, 5);
  return sum;
}
FL_OBJECT(cell)
FL_OP(int, next)
FL_OP(int, several, FL_INT(1, 2))
FL_OBJECT(other)
FL_OP(int, fine)
END
bad='{next(); next()} || {next(); next()}'
good='{fine(); fine()} || {fine(); fine()}'

# ---- all of them ----
for how in auto stateful dfs dpor random pct dpct pos; do
  rm -rf .faultline
  run cell.c --search=$how --object cell --client "$bad" --json report.json
  expect_status 1
  expect_json .verdict violation
  expect_json .search $how
  run replay .faultline/cell-*.schedule cell.c
  expect_status 1
  expect_out 'next\(\) is not linearizable'

  run explore cell.c --search=$how --object other --client "$good" \
    --json report.json
  expect_status 0
  expect_json .statistics.blocked 0
  case $how in
  random | pct | dpct | pos)
    expect_json .statistics.executions 10000
    expect_json .coverage.exhaustive false
    ;;
  *) expect_json .coverage.exhaustive true ;;
  esac
done
# Four calls with one atomic step each: (2 + 2)! / (2! 2!) orders, and all of
# them differ in the order of conflicts.
run explore cell.c --search=dfs --object other --client "$good" --json report.json
expect_json .statistics.executions 6
run explore cell.c --search=dpor --object other --client "$good" --json report.json
expect_json .statistics.executions 6

# ---- seeds ----
for how in random pct dpct pos; do
  for seed in 1 1 2; do
    run explore cell.c --search=$how --object cell --client "$bad" \
      --seed $seed --max-executions 50 --no-save --json report.json
    expect_json .statistics.executions 50
    json '[.statistics.events, .schedule, .outcomes]|tostring' >>seeds.$how
  done
  [ "$(sed -n 1p seeds.$how)" = "$(sed -n 2p seeds.$how)" ] ||
    fail "the same seed gave other executions"
  [ "$(sed -n 1p seeds.$how)" != "$(sed -n 3p seeds.$how)" ] ||
    fail "another seed gave the same executions"
done

# ---- the bound of PCT: n = 2 threads, k = 4 steps ----
run explore cell.c --search=pct --depth 2 --object other --client "$good" \
  --json report.json
expect_json '.chance | [.depth, .threads, .steps, .bound] | tostring' \
  '[2,2,4,0.125]'
expect_out 'depth 2 with a probability of at least 1/8 .*2 threads and 4 steps'
run explore cell.c --search=dpct --object other --client "$good" \
  --json report.json
expect_json '.chance.depth' 3
run explore cell.c --search=pos --object other --client "$good" \
  --json report.json
expect_json .chance null

# ---- preemptions ----
# Without any, threads run one after the other; one is enough for the fault.
for how in auto stateful dfs dpor random pct dpct pos; do
  run explore cell.c --search=$how --object cell --preemptions 0 \
    --client "$bad" --json report.json
  expect_status 0
  expect_out 'with at most 0 preemptions'
  expect_json .coverage.exhaustive false
  run explore cell.c --search=$how --object cell --preemptions 1 \
    --client "$bad" --no-save
  expect_status 1
done
run explore cell.c --search=dfs --object cell --preemptions 0 --client "$bad" \
  --json report.json
expect_json .statistics.executions 2

# ---- budgets ----
run explore cell.c --search=dfs --object cell --client "$bad" \
  --max-executions 3 --json report.json
expect_json .coverage.exhaustive false
expect_json .coverage.limit --max-executions
run explore cell.c --search=random --time 0.2 --object other --client "$good" \
  --json report.json
expect_status 0
expect_json '.statistics.executions > 0' true
run explore cell.c --search=dpor --max-executions 3 --object other \
  --client "$good"
expect_status 3
expect_out 'max-executions ended the search'

# ---- sweeps ----
for how in dpor random pct dpct pos; do
  run cell.c --search=$how --object cell --no-save --json report.json
  expect_status 1
  expect_json .client '{next()} || {next()}'
done
run cell.c --search=pct --object other --json report.json
expect_status 0
expect_json .coverage.exhaustive_clients 0
expect_out 'Random \(PCT\) interleavings of|random \(PCT\) interleavings of'
run cell.c --object other --json report.json
expect_status 0
run tests/../examples/lazy_list.c --no-save
expect_status 0
expect_out 'more clients sampled at random'

# ---- programs ----
cat >program.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *p) {
  atomic_fetch_add(&x, 1);
  return p;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
}
END
run explore program.c --search=dpor --no-real-time --json report.json
expect_status 0
expect_json .statistics.executions 6
expect_json .coverage.exhaustive true
run explore program.c --search=pct --json report.json
expect_status 0
run explore program.c --search=dpct
expect_status 2
expect_err '--search=dpct needs a harness'

# ---- trees ----
run explain-tree several cell.c
expect_status 0
expect_out '^several: R\(.*L\(.*C\(B\(S1\)\)'
expect_out 'several: about [0-9]+ steps?, with one round of each loop of unknown length'
steps() { sed -n 's/^several: about \([0-9]*\) step.*/\1/p' "$tmp/out"; }
once=$(steps)
run explain-tree several cell.c --theta=3
expect_status 0
expect_out 'with 3 rounds of each loop of unknown length'
[ "$(steps)" = $((once + 4)) ] || # two more rounds of two accesses
  fail "$(steps) steps with --theta=3, $once without"
cat >rounds.c <<'END'
#include <faultline.h>
static volatile int d[4];
static int four(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += d[i];
  return sum;
}
static void some(int n) {
  for (int i = 0; i < n; i++)
    d[0] = i;
}
FL_OBJECT(rounds)
FL_OP(int, four)
FL_OP(void, some, FL_INT(0, 9))
END
for cc in gcc clang; do
  command -v $cc >/dev/null || continue
  for opt in -O0 -O1 -O2; do
    run explain-tree four rounds.c --cc $cc --opt=$opt
    expect_out 'four: about 4 steps'
    run explain-tree some rounds.c --cc $cc --opt=$opt
    expect_out 'some: about [1-9][0-9]* steps?, with one round of each loop'
  done
done
run explain-tree severl cell.c
expect_status 2
expect_err 'no function "severl"; did you mean several\?'
run explain-tree several
expect_status 2
expect_err 'give a function and the sources'

# ---- stress ----
# What real threads find is repeated under the scheduler: a small client with a
# schedule; the history is kept beside it.
rm -rf .faultline
run tests/clients/stress_counter.c --object lossy --search=stress \
  --json report.json
expect_status 1
expect_out 'bump\(\) is not linearizable'
expect_out 'History: .faultline/lossy-[0-9a-f]*.history.jsonl'
expect_out 'repeated under the scheduler with client [0-9]+ of those'
expect_narrow
expect_json .client '{bump()} || {bump()}'
file=$(json .history_file)
[ -f "$file" ] || fail "no history file '$file'"
[ "$(jq -s '.[0].operations >= 500' "$file")" = true ] ||
  fail "the file is not the history of real threads"
[ "$(jq -s '.[0].operations - ([.[] | select(.type == "call")] | length)' \
  "$file")" = 0 ] || fail "calls are missing in the file"
run replay "$(json .schedule_file)" tests/clients/stress_counter.c
expect_status 1
expect_out 'bump\(\) is not linearizable'
run tests/clients/stress_counter.c --object lossy --search=stress --no-save \
  --json report.json
expect_status 1
expect_json .history_file null
run tests/clients/stress_counter.c --object locked --search=stress \
  --threads 3 --ops 20 --max-executions 50 --json report.json
expect_status 0
expect_json '[.coverage.threads, .coverage.ops] | tostring' '[3,20]'
expect_out 'random clients? of 3 threads with up to 20 calls each, on real threads'
cat >wild.c <<'END'
#include <faultline.h>
static int *volatile none;
static int calls;
static void crash(void) {
  if (__atomic_add_fetch(&calls, 1, 5) == 3)
    *none = 1;
}
FL_OBJECT(wild)
FL_OP(void, crash)
END
run wild.c --search=stress --client '{crash(); crash()} || {crash()}' \
  --json report.json
expect_status 1
expect_json .fault crash
expect_out 'wild.c:6:.*NULL dereferenced'
expect_out 'repeated under the scheduler'

# ---- --max-executions counts what --max-steps cuts ----
cat >waits.c <<'END'
#include <faultline.h>
static _Atomic unsigned long looks;
static _Atomic int done;
static void wait(void) {
  while (!done)
    looks++;
}
static int get(void) { return done; }
FL_OBJECT(gate)
FL_OP(void, wait, FL_BLOCKING)
FL_OP(int, get)
END
for how in -j1 -j2 -j1,--search=random -j1,--search=dpor; do
  run waits.c --no-save --max-executions 100 --json report.json ${how//,/ }
  expect_status 3
  expect_out '(no execution of .* came to its end|were cut at).*--max-steps'
  jq -e '.statistics | .cut > 0 and .executions + .cut == 100' report.json \
    >/dev/null || fail "$(jq -c .statistics report.json)"
done

# ---- an endless loop is waited for once ----
# Making its client small meets it ten times: that took 7 s of processor time.
run tests/clients/endless.c --no-save --json report.json
expect_status 1
expect_json .fault endless-loop
expect_out 'no visible step for 1000 ms'
jq -e '.statistics.cpu_seconds | .search >= 1 and .minimize < 4' report.json \
  >/dev/null || fail "$(jq -c .statistics report.json)"

# ---- the next fault ----
# Each operation has a fault of its own, and one has none.
cat >three.c <<'END'
#include <faultline.h>
static volatile int a, b;
static int c;
static int first(void) { return a++; }
static int crash(void) { return *(volatile int *)0; }
static int second(void) { return b++; }
static int fine(void) { return __atomic_add_fetch(&c, 1, 5); }
FL_OBJECT(three)
FL_OP(int, first)
FL_OP(int, crash)
FL_OP(int, second)
FL_OP(int, fine)
END
run three.c --no-save --json report.json
expect_status 1
expect_json .fault crash
run three.c --no-save --keep-going -v --json report.json
expect_status 1
expect_json '[.runs[].fault] | join(" ")' \
  'crash not-linearizable not-linearizable'
tr -s '\n ' ' ' <out | grep -q 'no other fault: .*; without executions that end in crash at three.c:5; with three.c:4, three.c:6 atomic' ||
  fail "what sets the faults aside is not said"
sed -i 's/return \*(.*0;/return system("true");/; 1i #include <stdlib.h>' three.c
run three.c --no-save --json report.json # a call that cannot be checked
expect_status 1
expect_json '[.runs[].fault] | join(" ")' 'not-linearizable not-modelled'

# ---- a fault that is found before a bound ends the search ----
long='{next(); next(); next(); next()} || {next(); next(); next(); next()}'
for jobs in 1 2; do
  run explore cell.c --object cell --client "$long" -j $jobs --max-states 70 \
    --no-save --json report.json
  expect_status 1
  expect_json .verdict violation
  expect_json .coverage.exhaustive false
  expect_json .coverage.limit --max-states
done
cat >crowd.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *wait_for_ever(void *arg) { sem_wait(&s); return arg; }
int main(void) {
  pthread_t t[30];
  for (int i = 0; i < 30; i++) pthread_create(&t[i], 0, wait_for_ever, 0);
  for (int i = 0; i < 30; i++) pthread_join(t[i], 0);
}
END
run explore crowd.c --time 2 --no-save --json report.json # every end is one
expect_status 1
expect_json .fault deadlock
expect_json .coverage.exhaustive false

# ---- what a strategy cannot do ----
run cell.c --search=random --no-real-time
expect_status 2
expect_err 'no-real-time needs --search=dpor'
run cell.c --depth 3
expect_status 2
expect_err 'depth needs --search=pct or dpct'
run cell.c --search=stress --preemptions 2
expect_status 2
expect_err 'cannot limit the preemptions of real threads'
run cell.c --ops 200
expect_status 2
expect_err 'more than 100 calls per thread need --search=stress'
run explore cell.c --search=stress --object other --client "$good"
expect_status 2
expect_err 'explore does not go with --search=stress'
finish
