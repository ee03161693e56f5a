/*
 * A counter behind a test-and-set spinlock.  A thread that waits goes round
 * its loop without changing anything; Faultline sees that and lets it rest
 * until the lock is written, so the search ends.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{increment()} || {increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int counter;

static void acquire(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
    ;
}

static void release(void) {
  atomic_flag_clear_explicit(&lock, memory_order_release);
}

static int increment(void) {
  acquire();
  int before = counter++;
  release();
  return before;
}

static int get(void) {
  acquire();
  int value = counter;
  release();
  return value;
}

FL_OBJECT(counter)
FL_OP(int, increment)
FL_OP(int, get)
