/*
 * A pass of calls that change nothing says so; one of calls that change
 * something does not.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * OUTPUT: no call changed the object
 * RUN: %s --threads 2 --ops 2 -- -DLIMIT=1
 * EXIT: 0
 * NOOUTPUT: no call changed the object
 */
#include <faultline.h>

#ifndef LIMIT
#define LIMIT 5
#endif

static int n;

static int get(void) { return __atomic_load_n(&n, __ATOMIC_SEQ_CST); }

static int add(int k) {
  return k > LIMIT ? __atomic_fetch_add(&n, k, __ATOMIC_SEQ_CST) : get();
}

FL_OBJECT(counter)
FL_OP(int, get)
FL_OP(int, add, FL_INT(1, 2))
