/*
 * Locks of loads and stores, for two sides: each sets a word of its own and
 * looks at the other's.  Looking first and setting then lets both in, and so
 * does a turn that each takes for itself.  Marks that nobody looks at before
 * going in are no lock.
 *
 * RUN: %s -v
 * KIND: broken-lock
 * OUTPUT: the lock of want.[01]\]? and want.[01]\]? lets two in: enter\(\) \
 *     sets the one at line 48 and looks at the other at line 46
 * OUTPUT: with lines 46-48 atomic, this client passes
 * OUTPUT: The cause is the lock, lines 46-48 of flags.c, in enter\(\)
 * RUN: %s -- -DTURN
 * KIND: broken-lock
 * OUTPUT: The cause is the lock, lines 37-40 of flags.c, in enter\(\)
 * OUTPUT: its lines let two in even when nobody interrupts them
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
