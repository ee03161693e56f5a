/*
 * Message passing: who has seen the flag misses the data unless a release is
 * read by an acquire, by the accesses or by fences.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{relaxed()} || \
 *   {acquires()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client \
 *   '{relaxed()} || {acquires()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{releases()} || \
 *   {looks()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client \
 *   '{releases()} || {looks()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{releases()} || \
 *   {acquires()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client \
 *   '{releases()} || {acquires()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{fenced()} || \
 *   {acquires()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{fenced()} \
 *   || {acquires()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{releases()} || \
 *   {fences()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client \
 *   '{releases()} || {fences()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{fenced()} || \
 *   {fences()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{fenced()} \
 *   || {fences()}'
 * EXECUTIONS: 3
 * OUTCOMES: 0,0 0,1 0,11
 * RUN: explore %s --memory-model=c11 --search=dfs --client '{fenced()} || \
 *   {looks()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 * RUN: explore %s --memory-model=c11 --search=stateful --client '{fenced()} \
 *   || {looks()}'
 * EXECUTIONS: 4
 * OUTCOMES: 0,0 0,1 0,10 0,11
 */
#include <faultline.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x;
static atomic_int y;

static int relaxed(void) {
  atomic_store_explicit(&x, 1, RLX);
  atomic_store_explicit(&y, 1, RLX);
  return 0;
}

static int releases(void) {
  atomic_store_explicit(&x, 1, RLX);
  atomic_store_explicit(&y, 1, REL);
  return 0;
}

static int fenced(void) {
  atomic_store_explicit(&x, 1, RLX);
  atomic_thread_fence(REL);
  atomic_store_explicit(&y, 1, RLX);
  return 0;
}

static int looks(void) {
  int a = atomic_load_explicit(&y, RLX);
  int b = atomic_load_explicit(&x, RLX);
  return 10 * a + b;
}

static int acquires(void) {
  int a = atomic_load_explicit(&y, ACQ);
  int b = atomic_load_explicit(&x, RLX);
  return 10 * a + b;
}

static int fences(void) {
  int a = atomic_load_explicit(&y, RLX);
  atomic_thread_fence(ACQ);
  int b = atomic_load_explicit(&x, RLX);
  return 10 * a + b;
}

FL_OBJECT(c11_mp)
FL_OP(int, relaxed)
FL_OP(int, releases)
FL_OP(int, fenced)
FL_OP(int, looks)
FL_OP(int, acquires)
FL_OP(int, fences)
