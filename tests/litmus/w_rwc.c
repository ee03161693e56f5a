/*
 * W+RWC: no cycle through three threads (never 10 in the second with 0 in the
 * third).
 * There are 5!/(1! 2! 2!) = 30 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()} || {t3()}'
 * EXECUTIONS: 30
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 0,10,1 0,11,0 0,11,1
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}'
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 0,10,1 0,11,0 0,11,1
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static int t1(void) {
  atomic_store(&x, 1);
  return 0;
}

static int t2(void) {
  int a = atomic_load(&x);
  int b = atomic_load(&y);
  return 10 * a + b;
}

static int t3(void) {
  atomic_store(&y, 1);
  int a = atomic_load(&x);
  return a;
}

FL_OBJECT(w_rwc)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, t3)
