/*
 * Locks of loads and stores, for two sides: each sets a word of its own and
 * looks at the other's.  Looking first and setting then lets both in, and so
 * does a turn that each takes for itself.  Marks that nobody looks at before
 * going in are no lock.
 *
 * RUN: %s -v
 * KIND: broken-lock
 * OUTPUT: the lock of want.[01]\]? and want.[01]\]? lets two in: enter\(\) \
 *     sets the one at line 45 and looks at the other at line 43
 * OUTPUT: with lines 50-52 atomic, this client passes
 * RUN: %s -- -DTURN
 * KIND: broken-lock
 * RUN: %s -- -DPETERSON
 * VERDICT: pass
 * RUN: %s -- -DMARKS
 * KIND: none
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int want[2], turn;
static int count;

#ifdef PETERSON
static void enter(int me) {
  atomic_store(&want[me], 1);
  atomic_store(&turn, !me);
  while (atomic_load(&want[!me]) && atomic_load(&turn) == !me)
    ;
}
#elif defined TURN
static void enter(int me) {
  atomic_store(&want[me], 1);
  atomic_store(&turn, me);
  while (atomic_load(&want[!me]) && atomic_load(&turn) == !me)
    ;
}
#elif defined MARKS
static void enter(int me) { atomic_store(&want[me], 1); }
#else
static void enter(int me) {
  while (atomic_load(&want[!me]))
    ;
  atomic_store(&want[me], 1);
}
#endif

static int add(int me) {
  enter(me);
  int now = ++count;
  atomic_store(&want[me], 0);
#ifdef MARKS
  if (atomic_load(&want[!me])) /* somebody is at work: that is all */
    atomic_store(&turn, me);
#endif
  return now;
}

static int left(void) { return add(0); }
static int right(void) { return add(1); }

FL_OBJECT(counter)
FL_OP(int, left, FL_GROUP("left"))
FL_OP(int, right, FL_GROUP("right"))
