/*
 * Store buffering with one fence only: (0,0) is allowed.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 70
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs
 * OUTCOMES: 0,1 1,0 1,1
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  int a = atomic_load_explicit(&y, memory_order_acquire);
  return a;
}

static int t2(void) {
  atomic_store_explicit(&y, 1, memory_order_release);
  int a = atomic_load_explicit(&x, memory_order_acquire);
  return a;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
