/*
 * Real threads do what the scheduler cannot repeat.  Processors are no good for
 * a test of that, since they do it when they like; so this object is wrong only
 * where it is compiled without hooks.  The history is all there is to report,
 * and the report says so.
 *
 * CC: gcc
 * RUN: %s --search=stress
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * OUTPUT: Failing client, shortened
 * OUTPUT: How far an order explains them
 * OUTPUT: History:
 * NOOUTPUT: Replay:
 * OUTPUT: could not be repeated
 */
#include <faultline.h>
#include <sched.h>

static long count;

static long next(void) {
#ifdef __SANITIZE_THREAD__
  return __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
#else
  long n = __atomic_load_n(&count, __ATOMIC_SEQ_CST);
  sched_yield();
  __atomic_store_n(&count, n + 1, __ATOMIC_SEQ_CST);
  return n + 1;
#endif
}

FL_OBJECT(apart)
FL_OP(long, next)
FL_SPEC(counter, inc_fetch = next)
