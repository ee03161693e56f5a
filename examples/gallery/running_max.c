/*
 * The largest value so far: the longest latency, the newest version.
 *
 * Wrong: compare, then store.  A smaller value that was compared before a
 * larger one was stored overwrites it: the maximum goes down.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: compare
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int largest;

static void note(int value) {
#ifdef WRONG
  if (value > atomic_load(&largest)) /* compare */
    atomic_store(&largest, value);
#else
  int seen = atomic_load(&largest);
  while (value > seen && !atomic_compare_exchange_weak(&largest, &seen, value))
    ;
#endif
}

static int get(void) { return atomic_load(&largest); }

FL_OBJECT(max)
FL_OP(void, note, FL_INT(1, 3))
FL_OP(int, get)
