/*
 * A home-made lock lets two in.  The counter behind it must not become atomic:
 * that would repair the one thing that is counted here, and leave the lock.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * NOOUTPUT: To make it atomic|_Atomic|fetch|new mutex
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int busy;
static int n;

static int inc(void) {
  while (atomic_load(&busy))
    ;
  atomic_exchange(&busy, 1);
  int r = ++n;
  atomic_store(&busy, 0);
  return r;
}

FL_OBJECT(counter)
FL_OP(int, inc)
