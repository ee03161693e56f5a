/*
 * Store buffering: not both threads miss the other's write (0,0).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{t1()} || {t2()}'
 * OUTCOMES: 0,1 1,0 1,1
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static int t1(void) {
  atomic_store(&x, 1);
  int a = atomic_load(&y);
  return a;
}

static int t2(void) {
  atomic_store(&y, 1);
  int a = atomic_load(&x);
  return a;
}

FL_OBJECT(sb)
FL_OP(int, t1)
FL_OP(int, t2)
