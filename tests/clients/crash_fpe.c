/*
 * A divisor that is checked and then read again: SIGFPE.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: crash
 * LINE: again
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int divisor = 3;

static int share(void) {
  if (atomic_load(&divisor) == 0)
    return 0;
  return 12 / atomic_load(&divisor); /* again */
}

static void clear(void) { atomic_store(&divisor, 0); }

FL_OBJECT(divisor)
FL_OP(int, share)
FL_OP(void, clear)
