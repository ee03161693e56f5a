/*
 * Load buffering: not both threads read the other's later write (1,1).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0 0,1 1,0
 * RUN: explore %s --client '{t1()} || {t2()}'
 * OUTCOMES: 0,0 0,1 1,0
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static int t1(void) {
  int a = atomic_load(&x);
  atomic_store(&y, 1);
  return a;
}

static int t2(void) {
  int a = atomic_load(&y);
  atomic_store(&x, 1);
  return a;
}

FL_OBJECT(lb)
FL_OP(int, t1)
FL_OP(int, t2)
