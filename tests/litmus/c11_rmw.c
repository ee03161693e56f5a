/*
 * Read-modify-writes are atomic, whatever their order; of compare-and-swaps
 * from 0 one succeeds, and the others fail.  A release sequence goes through
 * them.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{adds()} || \
 *   {adds()} || {adds()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,1,2 0,2,1 1,0,2 1,2,0 2,0,1 2,1,0
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{adds()} \
 *   || {adds()} || {adds()}'
 * EXECUTIONS: 6
 * OUTCOMES: 0,1,2 0,2,1 1,0,2 1,2,0 2,0,1 2,1,0
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{swaps()} || \
 *   {swaps()} || {swaps()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0,1 0,1,0 1,0,0
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{swaps()} \
 *   || {swaps()} || {swaps()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0,1 0,1,0 1,0,0
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{publish()} || \
 *   {adds()} || {look()}'
 * EXECUTIONS: 9
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11 0,1,21
 * RUN: explore %s --memory-model=c11 --search=stateful --client \
 *   '{publish()} || {adds()} || {look()}'
 * EXECUTIONS: 9
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11 0,1,21
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{set()} || \
 *   {fails()}'
 * EXECUTIONS: 2
 * OUTCOMES: 0,10 0,5
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{set()} || \
 *   {fails()}'
 * EXECUTIONS: 2
 * OUTCOMES: 0,10 0,5
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;

static int adds(void) { return atomic_fetch_add_explicit(&x, 1, RLX); }

static int swaps(void) {
  int zero = 0;
  return atomic_compare_exchange_strong_explicit(&x, &zero, 1, RLX, RLX);
}

static int fails(void) {
  int five = 5;
  return !atomic_compare_exchange_strong_explicit(&x, &five, 6, SC, RLX) * 10 +
         five;
}

static int publish(void) {
  atomic_store_explicit(&y, 1, RLX);
  atomic_store_explicit(&x, 1, REL);
  return 0;
}

static int look(void) {
  int a = atomic_load_explicit(&x, ACQ);
  int b = atomic_load_explicit(&y, RLX);
  return 10 * a + b;
}

static int set(void) {
  atomic_store_explicit(&x, 5, RLX);
  return 0;
}

FL_OBJECT(c11_rmw)
FL_OP(int, adds)
FL_OP(int, swaps)
FL_OP(int, fails)
FL_OP(int, publish)
FL_OP(int, look)
FL_OP(int, set)
