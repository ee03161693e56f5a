/*
 * Message passing: who sees the flag sees the data (never 10).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --client '{t1()} || {t2()}'
 * OUTCOMES: 0,0 0,1 0,11
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static int t1(void) {
  atomic_store(&x, 1);
  atomic_store(&y, 1);
  return 0;
}

static int t2(void) {
  int a = atomic_load(&y);
  int b = atomic_load(&x);
  return 10 * a + b;
}

FL_OBJECT(mp)
FL_OP(int, t1)
FL_OP(int, t2)
