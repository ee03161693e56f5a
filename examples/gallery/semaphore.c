/*
 * A counting semaphore without waiting, as it guards connections or memory:
 * try_acquire() takes a permit if there is one.
 *
 * Wrong: test, then subtract.  Two threads see the last permit and both take
 * it; the count goes below zero.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: test
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { PERMITS = 1 };

static atomic_int permits = PERMITS;

static bool try_acquire(void) {
#ifdef WRONG
  if (atomic_load(&permits) <= 0) /* test */
    return false;
  atomic_fetch_sub(&permits, 1);
  return true;
#else
  int n = atomic_load(&permits);
  while (n > 0)
    if (atomic_compare_exchange_weak(&permits, &n, n - 1))
      return true;
  return false;
#endif
}

static void release(void) { atomic_fetch_add(&permits, 1); }

static int available(void) { return atomic_load(&permits); }

FL_OBJECT(semaphore)
FL_OP(bool, try_acquire)
FL_OP(void, release)
FL_OP(int, available)
