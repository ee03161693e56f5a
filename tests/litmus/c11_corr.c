/*
 * Coherence: two reads of one location do not go back; writes have one order.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{one()} || \
 *   {reads()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{one()} || \
 *   {reads()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{one()} || \
 *   {two()} || {reads()}'
 * EXECUTIONS: 12
 * OUTCOMES: 0,0,0 0,0,1 0,0,11 0,0,12 0,0,2 0,0,21 0,0,22
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{one()} || \
 *   {two()} || {reads()}'
 * EXECUTIONS: 12
 * OUTCOMES: 0,0,0 0,0,1 0,0,11 0,0,12 0,0,2 0,0,21 0,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;

static int one(void) {
  atomic_store_explicit(&x, 1, RLX);
  return 0;
}

static int two(void) {
  atomic_store_explicit(&x, 2, RLX);
  return 0;
}

static int reads(void) {
  int a = atomic_load_explicit(&x, RLX);
  int b = atomic_load_explicit(&x, RLX);
  return 10 * a + b;
}

FL_OBJECT(c11_corr)
FL_OP(int, one)
FL_OP(int, two)
FL_OP(int, reads)
