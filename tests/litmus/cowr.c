/*
 * Coherence of a write and a read: who has written reads that or a later one
 * (never 0).
 * There are 3!/(2! 1!) = 3 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}; last()'
 * EXECUTIONS: 3
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 * RUN: explore %s --client '{t1()} || {t2()}; last()'
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int x;

static int t1(void) {
  atomic_store(&x, 1);
  int a = atomic_load(&x);
  return a;
}

static int t2(void) {
  atomic_store(&x, 2);
  return 0;
}

static int last(void) { return atomic_load(&x); }

FL_OBJECT(cowr)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, last)
