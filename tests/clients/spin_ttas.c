/*
 * A test-and-test-and-set lock: two nested loops that wait.
 *
 * RUN: %s --search=dfs --client '{increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int locked;
static int counter;

static int increment(void) {
  do {
    while (atomic_load(&locked))
      ;
  } while (atomic_exchange(&locked, 1));
  int before = counter++;
  atomic_store(&locked, 0);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
