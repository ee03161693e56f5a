/*
 * Write to read causality: what a thread saw before it raised the flag is seen
 * by who sees the flag (never 1 followed by 10).
 * There are 5!/(1! 2! 2!) = 30 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()} || {t3()}'
 * EXECUTIONS: 30
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}'
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
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
  atomic_store(&y, 1);
  return a;
}

static int t3(void) {
  int a = atomic_load(&y);
  int b = atomic_load(&x);
  return 10 * a + b;
}

FL_OBJECT(wrc)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, t3)
