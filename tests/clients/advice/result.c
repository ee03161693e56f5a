/*
 * References are given back by a fetch-and-sub, and then counted by another
 * look: two may see that none is left.  It is an atomic instruction already;
 * what it returns must be used.
 *
 * RUN: %s --width=400
 * EXIT: 1
 * OUTPUT: replace the write of line 21 and the read of line 22 by \(atomic_fetch_sub\(&refs, 1\) - 1\) \(tried: compiled and searched, no fault\)
 * NOOUTPUT: fetch-and-add|fetch_add
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int refs;

static void start(void) { atomic_store(&refs, 3); }

/* The last one frees. */
static bool put(void) {
  atomic_fetch_sub(&refs, 1);
  if (atomic_load(&refs) == 0)
    return true;
  return false;
}

FL_OBJECT(refs)
FL_OP(void, start)
FL_OP(bool, put)
