/*
 * An exchanger of one slot, as in elimination stacks: a thread leaves its value
 * and looks a few times whether another one has taken it and left its own.  Two
 * calls that meet get each other's value: no order of single calls explains
 * that.  TWICE takes an offer without competing, so two threads get one value;
 * LATE leaves the offer behind, and a later call gets a value whose owner is
 * gone.
 *
 * RUN: test %s
 * VERDICT: pass
 * RUN: explore %s --search=dpor --client '{exchange(1)} || {exchange(2)}'
 * VERDICT: pass
 * RUN: explore %s --client '{exchange(1)} || {exchange(2)} || {exchange(3)}'
 * VERDICT: pass
 * RUN: test %s -- -DTWICE
 * VERDICT: violation
 * RUN: test %s -- -DLATE
 * VERDICT: violation
 * OUTPUT: should return 0
 */
#include <faultline.h>
#include <stdatomic.h>

enum { NOBODY = 0, DONE = 100 };

static atomic_int slot, answer; /* an offer; DONE: `answer` is for it */

static int exchange(int mine) {
  int there = NOBODY;
  if (atomic_compare_exchange_strong(&slot, &there, mine)) {
    for (int i = 0; i < 2; i++)
      if (atomic_load(&slot) == DONE) {
        int got = atomic_load(&answer);
        atomic_store(&slot, NOBODY);
        return got;
      }
#ifdef LATE
    return NOBODY;
#endif
    int offer = mine;
    if (atomic_compare_exchange_strong(&slot, &offer, NOBODY))
      return NOBODY;
    while (atomic_load(&slot) != DONE)
      ;
    int got = atomic_load(&answer);
    atomic_store(&slot, NOBODY);
    return got;
  }
  if (there >= DONE)
    return NOBODY;
#ifdef TWICE
  atomic_store(&slot, DONE + 1);
#else
  if (!atomic_compare_exchange_strong(&slot, &there, DONE + 1))
    return NOBODY;
#endif
  atomic_store(&answer, mine);
  atomic_store(&slot, DONE);
  return there;
}

FL_OBJECT(exchanger)
FL_OP(int, exchange, FL_INT(1, 3))
FL_SPEC(exchanger, exchange = exchange, empty = 0)
