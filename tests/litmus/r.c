/*
 * R: when the second write to y is the last one, the read behind it sees x
 * (never a 0 with a final 2).
 * There are 4!/(2! 2!) = 6 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()}; last()'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,1 0,1,1 0,1,2
 * RUN: explore %s --client '{t1()} || {t2()}; last()'
 * OUTCOMES: 0,0,1 0,1,1 0,1,2
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
  atomic_store(&y, 2);
  int a = atomic_load(&x);
  return a;
}

static int last(void) { return atomic_load(&y); }

FL_OBJECT(r)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, last)
