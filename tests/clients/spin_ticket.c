/*
 * A ticket lock: waits for a number to come up.
 *
 * RUN: %s --search=dfs --client '{increment()} || {increment()} || \
 *     {increment()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_uint next;
static atomic_uint serving;
static int counter;

static int increment(void) {
  unsigned ticket = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != ticket)
    ;
  int before = counter++;
  atomic_store(&serving, ticket + 1);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
