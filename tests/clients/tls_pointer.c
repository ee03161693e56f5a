/*
 * A thread-local variable whose address another thread has is shared memory:
 * its owner's stores there are steps.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --client '{pub()} || {look()}'
 * EXIT: 1
 * OUTCOMES: 0,-1 0,0 0,1 0,2
 * RUN: explore %s --search=dpor --client '{pub()} || {look()}'
 * EXIT: 1
 * OUTCOMES: 0,-1 0,0 0,1 0,2
 * RUN: explore %s --search=dfs --client '{pub()} || {look()}'
 * EXIT: 1
 * OUTCOMES: 0,-1 0,0 0,1 0,2
 * RUN: explore %s -j 3 --client '{pub()} || {look()}'
 * EXIT: 1
 * OUTCOMES: 0,-1 0,0 0,1 0,2
 */
#include <faultline.h>
#include <stdatomic.h>

static _Thread_local volatile int own;
static _Atomic(volatile int *) there;
static volatile int y;

static int pub(void) {
  own = 0;
  there = &own;
  own = 1;
  own = 2;
  y = 1;
  return 0;
}

static int look(void) {
  volatile int *p = there;
  return p ? *p : -1;
}

FL_OBJECT(thread_local)
FL_OP(int, pub)
FL_OP(int, look)
