/*
 * A lock that an object has made itself of a flag, which is tested and set in
 * two steps: the lock is to blame, not the counter.  A flag that is never set
 * back looks similar, and is no lock; nor is a counter behind no lock at all.
 *
 * RUN: %s
 * KIND: broken-lock
 * OUTPUT: the lock busy lets two in: add\(\) finds it free at line 28 \
 *     and sets it at line 33, after T[12] did
 * OUTPUT: The cause is the lock, lines 28-33 of own_lock.c, in add\(\)
 * RUN: %s -- -DEXCHANGE
 * KIND: broken-lock
 * RUN: %s -- -DONCE
 * KIND: check-then-act
 * OUTPUT: add\(\) checks busy at line 44 and acts on it at line 46
 * RUN: %s -- -DNO_LOCK
 * KIND: none
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int busy;
static int count;

#ifndef ONCE
static int add(void) {
#ifndef NO_LOCK
  while (atomic_load(&busy))
    ;
#ifdef EXCHANGE
  atomic_exchange(&busy, 1);
#else
  atomic_store(&busy, 1);
#endif
#endif
  int now = ++count;
#ifndef NO_LOCK
  atomic_store(&busy, 0);
#endif
  return now;
}
#else
static int add(void) {
  if (atomic_load(&busy))
    return -1;
  atomic_store(&busy, 1);
  return ++count;
}
#endif

FL_OBJECT(counter)
FL_OP(int, add)
