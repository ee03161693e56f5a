#!/bin/bash
# FL_MEMORY_MODEL: the harness chooses, every command honours it, an option and
# a schedule win, and the report says who chose.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report
pool=tests/clients/papers/task_pool.c

expect_model() { # model, who chose it
  found=$(jq -r '"\(.memory_model) \(.memory_model_from)"' report.json)
  [ "$found" = "$1 $2" ] || fail "the model is '$found', expected '$1 $2'"
}

# ---- a run ----
run $pool --json report.json
expect_status 1
expect_out 'get_head\(\) needs a fence between line'
expect_out 'memory model tso \(FL_MEMORY_MODEL\)'
expect_out 'The races that decide'
expect_model tso harness
schedule=$(echo .faultline/*.schedule)
grep -q 'model=tso buffer=4' "$schedule" || fail "no model in $schedule"
run $pool --json report.json # the saved one is one of this model
expect_status 1
expect_out 'A saved schedule fails; nothing else was tried'

run $pool --memory-model=sc --json report.json
expect_status 0
expect_out 'memory model sc \(FL_MEMORY_MODEL says tso\)'
expect_no out 'saved schedule'
expect_model sc option

# ---- the other commands ----
client='take_head(); {take_head()} || {take_tail()}'
run explore $pool --client "$client" --json report.json
expect_status 1
expect_model tso harness
run explore $pool --client "$client" --memory-model=sc
expect_status 0

run replay "$schedule" $pool --json report.json
expect_status 1
expect_out 'commit head'
expect_model tso schedule

run shrink $pool --client "${client%\}}; take_tail()}" --json report.json --no-save
expect_status 1
expect_model tso harness
[ "$(jq '.minimal.proved and .minimal.from == 4' report.json)" = true ] ||
  fail "not shrunk: $(jq -c .minimal report.json)"
for seed in 1 2; do # groups stay in one thread
  run shrink $pool -n 100 --seed $seed --json report.json --no-save
  [ "$(jq '[.minimal.pc[]? | unique | .[]] | length == (unique | length)' \
    report.json)" = true ] || fail "groups: $(jq -c .minimal report.json)"
done

run export "$schedule" $pool -o exported.c
expect_status 0
run exported.c --json report.json --save-dir again
expect_status 1
expect_model tso schedule
grep -q 'model=tso buffer=4' again/*.schedule ||
  fail "the exported client's schedule forgets the model"

run atomicity $pool --client "$client" --json report.json
[ "$(jq '.traces[0].memory' report.json)" = '"tso"' ] ||
  fail "atomicity: $(jq -c '.traces[0].memory' report.json)"

run $pool --search=stress --max-executions 5 --json report.json --no-save
expect_no out 'memory model'
expect_model sc default
run $pool --threads 16
expect_status 2
expect_err '--threads: at most 15 under the memory model tso'

# ---- c11 ----
run $pool --memory-model=c11 --search=dpor
expect_status 2
expect_err '--search=dpor does not know the memory model c11'
run atomicity $pool --memory-model=c11
expect_status 2
expect_err 'faultline atomicity does not know the memory model c11'
run shrink $pool --memory-model=c11
expect_status 2
expect_err 'faultline shrink does not know the memory model c11'
run $pool --memory-model=c11 --criterion=quiescent
expect_status 2
expect_err '--criterion=quiescent does not go with the memory model c11'

# ---- a schedule of the other model ----
cat >late.c <<'END'
#include <faultline.h>
static int head, tail;
static int put(void) { head = 1; return tail; }
static int get(void) { tail = 1; return head; }
static int both(void) { int n = head; head = n + 1; return n; }
FL_OBJECT(late)
FL_OP(int, put)
FL_OP(int, get)
FL_OP(int, both)
FL_MEMORY_MODEL(tso)
END
run late.c --client '{both()} || {both()}' --memory-model=sc --save-dir sc
expect_status 1
schedule=$(echo sc/*.schedule)
grep -q ' model=sc$' "$schedule" || fail "no model=sc in $(cat "$schedule")"
run replay "$schedule" late.c --json report.json
expect_status 1
expect_no err 'could not be followed'
expect_model sc schedule
run export "$schedule" late.c -o exported.c
run exported.c --json report.json --no-save
expect_status 1
expect_model sc schedule

# ---- tables by hand ----
cat >hand.c <<'END'
#include <faultline.h>
static int n;
static long long next(void *o, const long long *a) {
  (void)o, (void)a;
  return n++;
}
static struct fl_op op = {.name = "next", .file = "hand.c", .line = 7,
                          .type = FL_TYPE_INT, .size = 4, .invoke = next};
static struct fl_suite suite = {.abi = ABI, .name = "hand", .file = "hand.c",
                                .line = 9, .ops = &op,
                                .memory_model = (enum fl_memory_model)MODEL};
struct fl_suite *fl_suites = &suite;
END
run hand.c --no-save --json report.json -- -DABI=FL_ABI -DMODEL=FL_MEMORY_MODEL_tso
expect_status 1
expect_model tso harness
run hand.c --no-save -- -DABI=FL_ABI -DMODEL=7
expect_status 2
expect_err 'hand.c:9: hand has an unknown memory model \(7\)'
run hand.c --no-save --json report.json -- -DABI=1 -DMODEL=7 # has no such field
expect_status 1
expect_model sc default
run hand.c --no-save -- -DABI=FL_ABI+1 -DMODEL=0
expect_status 2
expect_err 'hand was made for another version of faultline.h'

# ---- mistakes ----
sed 's/MODEL(tso)/MODEL(pso)/' late.c >wrong.c
run wrong.c
expect_status 2
expect_err 'wrong.c:10'
finish
