/*
 * A pointer to a local variable outlives the call: another thread that has
 * loaded it in time reads the frame of a function that has returned.
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --no-save --no-html
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-return
 * LINE: late
 * OUTPUT: reads a local variable of T1, which has ended
 * RUN: explore %s --search=dpor --client '{show()} || {look()}'
 * EXIT: 1
 * FAULT: use-after-return
 * RUN: explore %s --search=dfs --client '{show()} || {look()}'
 * EXIT: 1
 * FAULT: use-after-return
 * RUN: explore %s --search=random --client '{show(); set()} || {look()}'
 * EXIT: 1
 * FAULT: use-after-return
 */
#include <faultline.h>
#include <stdatomic.h>

static _Atomic(volatile int *) there;
static volatile int x;

static int show(void) {
  volatile int v = 1;
  there = &v;
  there = 0;
  return 0;
}

static int set(void) { return x = 1; }

static int look(void) {
  volatile int *p = there;
  return p && *p ? 0 : 0; /* late */
}

FL_OBJECT(frames)
FL_OP(int, show)
FL_OP(int, set)
FL_OP(int, look)
