/*
 * A lock whose waiters call sched_yield(): the search ends.
 *
 * RUN: %s --search=dfs --client '{increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{increment()} || {increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int locked;
static int counter;

static int increment(void) {
  while (atomic_exchange(&locked, 1))
    sched_yield();
  int before = counter++;
  atomic_store(&locked, 0);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
