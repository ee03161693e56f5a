/*
 * Read to write causality, with seq_cst: all of the 8 graphs but one.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{writes()} || \
 *   {reads()} || {both()}'
 * EXECUTIONS: 7
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 0,10,1 0,11,0 0,11,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{writes()} \
 *   || {reads()} || {both()}'
 * EXECUTIONS: 7
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 0,10,1 0,11,0 0,11,1
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;

static int writes(void) {
  atomic_store_explicit(&x, 1, SC);
  return 0;
}

static int reads(void) {
  int a = atomic_load_explicit(&x, SC);
  int b = atomic_load_explicit(&y, SC);
  return 10 * a + b;
}

static int both(void) {
  atomic_store_explicit(&y, 1, SC);
  return atomic_load_explicit(&x, SC);
}

FL_OBJECT(c11_rwc)
FL_OP(int, writes)
FL_OP(int, reads)
FL_OP(int, both)
