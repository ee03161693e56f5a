/*
 * Two threads write two locations in opposite order: a relaxed write need not
 * be last.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{a()} || {b()}; \
 *   last()'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0,11 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{a()} || \
 *   {b()}; last()'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0,11 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{sa()} || \
 *   {sb()}; last()'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{sa()} || \
 *   {sb()}; last()'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;

static int a(void) {
  atomic_store_explicit(&x, 1, RLX);
  atomic_store_explicit(&y, 2, RLX);
  return 0;
}

static int b(void) {
  atomic_store_explicit(&y, 1, RLX);
  atomic_store_explicit(&x, 2, RLX);
  return 0;
}

static int sa(void) {
  atomic_store_explicit(&x, 1, SC);
  atomic_store_explicit(&y, 2, SC);
  return 0;
}

static int sb(void) {
  atomic_store_explicit(&y, 1, SC);
  atomic_store_explicit(&x, 2, SC);
  return 0;
}

static int last(void) {
  int a = atomic_load_explicit(&x, RLX);
  int b = atomic_load_explicit(&y, RLX);
  return 10 * a + b;
}

FL_OBJECT(c11_2_2w)
FL_OP(int, a)
FL_OP(int, b)
FL_OP(int, sa)
FL_OP(int, sb)
FL_OP(int, last)
