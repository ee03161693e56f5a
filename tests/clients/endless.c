/*
 * An endless loop without any access: only a watchdog can end it.
 *
 * RUN: %s --client '{visit()} || {visit()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: endless-loop
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int inside;

static void visit(void) {
  if (atomic_fetch_add(&inside, 1) != 0)
    for (;;)
      ;
  atomic_fetch_sub(&inside, 1);
}

FL_OBJECT(room)
FL_OP(void, visit)
