/*
 * n5: each sees its own store first and then the other's: (2,1) is forbidden.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 80
 * OUTCOMES: 1,1 1,2 2,2
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 1,1 1,2 2,2
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 1,1 1,2 2,2
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 1,1 1,2 2,2
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  int a = atomic_load_explicit(&x, memory_order_acquire);
  return a;
}

static int t2(void) {
  atomic_store_explicit(&x, 2, memory_order_release);
  int a = atomic_load_explicit(&x, memory_order_acquire);
  return a;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
