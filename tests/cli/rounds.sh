#!/bin/bash
# With --time the kinds of clients take turns, in an order that does not depend
# on the time.  Here --max-executions ends the runs, long before the time.
. "$(dirname "$0")/common.inc"
not_with_asan

cat >wraps.c <<'END'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, round; /* wrong only if five steps come in between */
static void step(void) {
  pthread_mutex_lock(&lock);
  __atomic_store_n(&total, total + 1, 5);
  __atomic_store_n(&round, total % 5, 5);
  pthread_mutex_unlock(&lock);
}
static int look(void) {
  pthread_mutex_lock(&lock);
  int before = round;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  int seen = total;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  int after = round;
  pthread_mutex_unlock(&lock);
  return before == after && seen % 5 != before;
}
FL_OBJECT(wraps)
FL_OP(void, step)
FL_OP(int, look, FL_GROUP("reader"))
END

# ---- the same clients, however many processes there are ----
long='--time 100000 --no-save --no-html'
run examples/treiber_stack.c $long --max-executions 3000 -j 1 --json one.json
expect_status 0
run examples/treiber_stack.c $long --max-executions 3000 -j 3 --json three.json
expect_status 0
for field in '.statistics.executions' '.statistics.clients' '.coverage'; do
  one=$(jq -c "$field" one.json)
  three=$(jq -c "$field" three.json)
  [ "$one" = "$three" ] || fail "$field: $one with one process, $three with three"
done

# ---- one call beside five others ----
run wraps.c $long --max-executions 200000
expect_status 1
expect_out 'look()'
finish
