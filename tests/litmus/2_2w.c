/*
 * Two threads that write two locations in opposite order: not both first
 * writes are last (11).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}; last()'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; last()'
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static int t1(void) {
  atomic_store(&x, 1);
  atomic_store(&y, 2);
  return 0;
}

static int t2(void) {
  atomic_store(&y, 1);
  atomic_store(&x, 2);
  return 0;
}

static int last(void) {
  int a = atomic_load(&x);
  int b = atomic_load(&y);
  return 10 * a + b;
}

FL_OBJECT(two_two_w)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, last)
