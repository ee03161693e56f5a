/*
 * assert() that fails when two threads meet in a section.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: assert
 * CLIENT: visit\(\).*visit\(\)
 * OUTPUT: alone
 */
#include <assert.h>
#include <faultline.h>
#include <stdatomic.h>

static atomic_int inside;

static void visit(void) {
  int alone = atomic_fetch_add(&inside, 1) == 0;
  assert(alone);
  (void)alone;
  atomic_fetch_sub(&inside, 1);
}

FL_OBJECT(room)
FL_OP(void, visit)
