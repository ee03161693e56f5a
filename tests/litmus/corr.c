/*
 * Coherence of reads: two reads of one location see its writes in their order
 * (never 10, 20, 21).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0 0,1 0,2 0,11 0,12 0,22
 * RUN: explore %s --client '{t1()} || {t2()}'
 * OUTCOMES: 0,0 0,1 0,2 0,11 0,12 0,22
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;

static int t1(void) {
  atomic_store(&x, 1);
  atomic_store(&x, 2);
  return 0;
}

static int t2(void) {
  int a = atomic_load(&x);
  int b = atomic_load(&x);
  return 10 * a + b;
}

FL_OBJECT(corr)
FL_OP(int, t1)
FL_OP(int, t2)
