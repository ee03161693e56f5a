/*
 * n6: T1 reads its own store from the buffer, then y = 0, and x = 1 at the end:
 * allowed, and forbidden under SC.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 420
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 10
 * OUTCOMES: 10,0,22 12,0,12 12,0,22 22,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  int a = atomic_load_explicit(&x, memory_order_acquire);
  int b = atomic_load_explicit(&y, memory_order_acquire);
  return 10 * a + b;
}

static int t2(void) {
  atomic_store_explicit(&y, 2, memory_order_release);
  atomic_store_explicit(&x, 2, memory_order_release);
  return 0;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
