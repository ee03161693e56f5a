/*
 * Real threads do what the scheduler cannot repeat.  Processors are no good for
 * a test of that, since they do it when they like; so this object is wrong only
 * where it is compiled without hooks, and there whenever the turn passes
 * (turns.h).  The history is all there is to report, and the report says so.
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
#include "turns.h"

static long count;

static long next(void) {
#ifdef TURNS_HOOKS
  return __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
#else
  turn_begin();
  long n = __atomic_load_n(&count, __ATOMIC_SEQ_CST);
  give_way();
  __atomic_store_n(&count, n + 1, __ATOMIC_SEQ_CST);
  return n + 1;
#endif
}

FL_OBJECT(apart)
FL_OP(long, next)
TURNS
FL_SPEC(counter, inc_fetch = next)
