/*
 * exit() inside an operation is a finding and does not end the tool.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: exit
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int inside;

static void visit(void) {
  if (atomic_fetch_add(&inside, 1) != 0)
    exit(0);
  atomic_fetch_sub(&inside, 1);
}

FL_OBJECT(room)
FL_OP(void, visit)
