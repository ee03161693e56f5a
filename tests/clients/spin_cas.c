/*
 * A CAS retry loop ends, since each failure is another thread's success.  Two
 * threads, load and CAS each, with one retry: by hand, 2 executions without an
 * overlap and 4 with one, in which the loser's CAS fails and is repeated.
 *
 * RUN: explore %s --search=dfs --client '{increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 * OUTCOMES: 0,1 1,0
 * EXECUTIONS: 6
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int counter;

static int increment(void) {
  int before = atomic_load(&counter);
  while (!atomic_compare_exchange_strong(&counter, &before, before + 1))
    ;
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
