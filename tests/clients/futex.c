/*
 * A lock that sleeps in a futex; without the wake-up its waiter sleeps for ever.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DNO_WAKE
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 * LINE: sleep
 */
#include <faultline.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t word; /* 0 free, 1 locked, 2 locked and waited for */
static int counter;

static void acquire(void) {
  uint32_t seen = 0;
  if (atomic_compare_exchange_strong(&word, &seen, 1))
    return;
  if (seen != 2)
    seen = atomic_exchange(&word, 2);
  while (seen != 0) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); /* sleep */
    seen = atomic_exchange(&word, 2);
  }
}

static void release(void) {
  uint32_t seen = atomic_exchange(&word, 0);
#ifndef NO_WAKE
  if (seen == 2)
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#else
  (void)seen;
#endif
}

static int increment(void) {
  acquire();
  int before = counter++;
  release();
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
