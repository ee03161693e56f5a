/*
 * S: x = 2 at the end though T2 saw y = 1: forbidden, as under SC.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 70
 * OUTCOMES: 0,0,11 0,0,21 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,11 0,0,21 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,11 0,0,21 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,11 0,0,21 0,1,11
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static int t1(void) {
  atomic_store_explicit(&x, 2, memory_order_release);
  atomic_store_explicit(&y, 1, memory_order_release);
  return 0;
}

static int t2(void) {
  int a = atomic_load_explicit(&y, memory_order_acquire);
  atomic_store_explicit(&x, 1, memory_order_release);
  return a;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
