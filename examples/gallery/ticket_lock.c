/*
 * A ticket lock and the counter that it protects: take a number, wait until it
 * is called.
 *
 * Wrong: the number is taken with `next++`, which is a load and a store.  Two
 * threads get the same number and are inside together.  (In C `next++` of an
 * _Atomic variable is one instruction; of a volatile one it is not.)
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * VERDICT: violation error
 * BLAME: take
 */
#include <faultline.h>
#include <stdatomic.h>

#ifdef WRONG
static volatile unsigned next;
#else
static atomic_uint next;
#endif
static atomic_uint serving;
static int counter;

static void lock(void) {
  unsigned mine = next++; /* take */
  while (atomic_load(&serving) != mine)
    ;
}

static void unlock(void) { atomic_store(&serving, atomic_load(&serving) + 1); }

static int increment(void) {
  lock();
  int before = counter++;
  unlock();
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
FL_SPEC(counter, fetch_inc = increment)
