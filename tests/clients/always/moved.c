/*
 * What is moved is in both places or in none for a moment: not when nobody
 * moves.  A reader does not matter.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DFORGETS
 * EXIT: 1
 * VERDICT: error
 * FAULT: invariant
 * CLIENT: put
 * OUTPUT: balanced\(\) does not hold, and none of its operations is in progress
 * OUTPUT: FL_ALWAYS\(balanced
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int here, there = 2;

static void move(void) {
  atomic_fetch_sub(&there, 1);
  atomic_fetch_add(&here, 1);
}

static void put(void) {
#ifdef FORGETS /* what settle() makes good again, if it is called */
  atomic_fetch_add(&here, 1);
#else
  atomic_fetch_add(&here, 1);
  atomic_fetch_sub(&there, 1);
#endif
}

static void settle(void) { atomic_store(&there, 2 - atomic_load(&here)); }

static int look(void) { return 0 * atomic_load(&here); }

FL_OBJECT(moved)
FL_OP(void, move)
FL_OP(void, put)
#ifdef FORGETS
FL_OP(void, settle)
#endif
FL_OP(int, look)
static bool balanced(void) {
  return atomic_load(&here) + atomic_load(&there) == 2;
}

FL_ALWAYS(balanced, move, put)
