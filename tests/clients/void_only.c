/*
 * Calls that return nothing: a lost update cannot show, and a pass says so.  An
 * invariant shows it.
 *
 * RUN: %s --client '{inc()} || {inc()}'
 * EXIT: 0
 * OUTPUT: no operation returns a value and there is no FL_INVARIANT
 * RUN: %s --client '{inc()}' -- -DCOUNTS
 * EXIT: 0
 * NOOUTPUT: no operation returns a value
 * RUN: %s --client '{inc()} || {inc()}' -- -DCOUNTS
 * EXIT: 1
 * FAULT: invariant
 */
#include <faultline.h>
#include <stdatomic.h>

static volatile int n;
static atomic_int calls;

static void inc(void) {
  n = n + 1;
  atomic_fetch_add(&calls, 1);
}

FL_OBJECT(counter)
FL_OP(void, inc)
#ifdef COUNTS
static int holds(void) { return n == calls; }
FL_INVARIANT(holds)
#endif
