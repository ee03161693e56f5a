/*
 * abort() when two threads meet in a section.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: abort
 * CLIENT: visit\(\).*visit\(\)
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int inside;

static void visit(void) {
  if (atomic_fetch_add(&inside, 1) != 0)
    abort();
  atomic_fetch_sub(&inside, 1);
}

FL_OBJECT(room)
FL_OP(void, visit)
