/*
 * Independent reads of independent writes: with acquire and release the readers
 * may disagree about the order of the writes; with seq_cst they may not.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{wx()} || \
 *   {wy()} || {xy()} || {yx()}'
 * EXECUTIONS: 16
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,10 0,0,10,11 0,0,11,0 0,0,11,1 \
 *   0,0,11,10 0,0,11,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{wx()} || \
 *   {wy()} || {xy()} || {yx()}'
 * EXECUTIONS: 16
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,10 0,0,10,11 0,0,11,0 0,0,11,1 \
 *   0,0,11,10 0,0,11,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{swx()} || \
 *   {swy()} || {sxy()} || {syx()}'
 * EXECUTIONS: 15
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *   0,0,11,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{swx()} || \
 *   {swy()} || {sxy()} || {syx()}'
 * EXECUTIONS: 15
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *   0,0,11,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{wx()} || \
 *   {wy()} || {fxy()} || {fyx()}'
 * EXECUTIONS: 15
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *   0,0,11,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{wx()} || \
 *   {wy()} || {fxy()} || {fyx()}'
 * EXECUTIONS: 15
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *   0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *   0,0,11,11
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;

static int wx(void) {
  atomic_store_explicit(&x, 1, REL);
  return 0;
}

static int wy(void) {
  atomic_store_explicit(&y, 1, REL);
  return 0;
}

static int xy(void) {
  int a = atomic_load_explicit(&x, ACQ);
  int b = atomic_load_explicit(&y, ACQ);
  return 10 * a + b;
}

static int yx(void) {
  int a = atomic_load_explicit(&y, ACQ);
  int b = atomic_load_explicit(&x, ACQ);
  return 10 * a + b;
}

static int swx(void) {
  atomic_store_explicit(&x, 1, SC);
  return 0;
}

static int swy(void) {
  atomic_store_explicit(&y, 1, SC);
  return 0;
}

static int sxy(void) {
  int a = atomic_load_explicit(&x, SC);
  int b = atomic_load_explicit(&y, SC);
  return 10 * a + b;
}

static int syx(void) {
  int a = atomic_load_explicit(&y, SC);
  int b = atomic_load_explicit(&x, SC);
  return 10 * a + b;
}

static int fxy(void) {
  int a = atomic_load_explicit(&x, RLX);
  atomic_thread_fence(SC);
  int b = atomic_load_explicit(&y, RLX);
  return 10 * a + b;
}

static int fyx(void) {
  int a = atomic_load_explicit(&y, RLX);
  atomic_thread_fence(SC);
  int b = atomic_load_explicit(&x, RLX);
  return 10 * a + b;
}

FL_OBJECT(c11_iriw)
FL_OP(int, wx)
FL_OP(int, wy)
FL_OP(int, xy)
FL_OP(int, yx)
FL_OP(int, swx)
FL_OP(int, swy)
FL_OP(int, sxy)
FL_OP(int, syx)
FL_OP(int, fxy)
FL_OP(int, fyx)
