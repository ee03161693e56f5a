/*
 * Independent reads of independent writes: the two readers never disagree
 * about the order of the writes (10,10).
 * There are 6!/(1! 1! 2! 2!) = 180 executions.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{t1()} || {t2()} || {t3()} || {t4()}'
 * EXECUTIONS: 180
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *     0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *     0,0,11,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()} || {t4()}'
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *     0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *     0,0,11,11
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
  atomic_store(&y, 1);
  return 0;
}

static int t3(void) {
  int a = atomic_load(&x);
  int b = atomic_load(&y);
  return 10 * a + b;
}

static int t4(void) {
  int a = atomic_load(&y);
  int b = atomic_load(&x);
  return 10 * a + b;
}

FL_OBJECT(iriw)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, t3)
FL_OP(int, t4)
