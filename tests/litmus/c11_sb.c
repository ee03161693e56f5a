/*
 * Store buffering: with relaxed accesses both threads may read 0; with seq_cst
 * ones, or seq_cst fences between, not both.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{rx()} || {ry()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{rx()} || \
 *   {ry()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{sx()} || {sy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{sx()} || \
 *   {sy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{fx()} || {fy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{fx()} || \
 *   {fy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{fx()} || {sy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{fx()} || \
 *   {sy()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{rx()} || \
 *   {ryz()} || {rzx()}'
 * EXECUTIONS: 8
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{rx()} || \
 *   {ryz()} || {rzx()}'
 * EXECUTIONS: 8
 * OUTCOMES: 0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{sx()} || \
 *   {syz()} || {szx()}'
 * EXECUTIONS: 7
 * OUTCOMES: 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{sx()} || \
 *   {syz()} || {szx()}'
 * EXECUTIONS: 7
 * OUTCOMES: 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;
static atomic_int z;

static int rx(void) {
  atomic_store_explicit(&x, 1, RLX);
  return atomic_load_explicit(&y, RLX);
}

static int ry(void) {
  atomic_store_explicit(&y, 1, RLX);
  return atomic_load_explicit(&x, RLX);
}

static int ryz(void) {
  atomic_store_explicit(&y, 1, RLX);
  return atomic_load_explicit(&z, RLX);
}

static int rzx(void) {
  atomic_store_explicit(&z, 1, RLX);
  return atomic_load_explicit(&x, RLX);
}

static int sx(void) {
  atomic_store_explicit(&x, 1, SC);
  return atomic_load_explicit(&y, SC);
}

static int sy(void) {
  atomic_store_explicit(&y, 1, SC);
  return atomic_load_explicit(&x, SC);
}

static int syz(void) {
  atomic_store_explicit(&y, 1, SC);
  return atomic_load_explicit(&z, SC);
}

static int szx(void) {
  atomic_store_explicit(&z, 1, SC);
  return atomic_load_explicit(&x, SC);
}

static int fx(void) {
  atomic_store_explicit(&x, 1, RLX);
  atomic_thread_fence(SC);
  return atomic_load_explicit(&y, RLX);
}

static int fy(void) {
  atomic_store_explicit(&y, 1, RLX);
  atomic_thread_fence(SC);
  return atomic_load_explicit(&x, RLX);
}

FL_OBJECT(c11_sb)
FL_OP(int, rx)
FL_OP(int, ry)
FL_OP(int, ryz)
FL_OP(int, rzx)
FL_OP(int, sx)
FL_OP(int, sy)
FL_OP(int, syz)
FL_OP(int, szx)
FL_OP(int, fx)
FL_OP(int, fy)
