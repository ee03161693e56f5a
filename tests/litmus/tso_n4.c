/*
 * n4: each reads the other's store before its own is there: (2,1) is forbidden.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 20
 * OUTCOMES: 0,0,1 0,0,2 0,1,2 2,0,1
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,1 0,0,2 0,1,2 2,0,1
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,1 0,0,2 0,1,2 2,0,1
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,1 0,0,2 0,1,2 2,0,1
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;

static int t1(void) {
  int a = atomic_load_explicit(&x, memory_order_acquire);
  atomic_store_explicit(&x, 1, memory_order_release);
  return a;
}

static int t2(void) {
  int a = atomic_load_explicit(&x, memory_order_acquire);
  atomic_store_explicit(&x, 2, memory_order_release);
  return a;
}

static int end(void) { return x; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
