/*
 * R: the store of T2 may be delayed past its load: y = 2 at the end and T2
 * reads x = 0, which SC forbids. The published results: Owens, Sarkar, Sewell,
 * "A better x86 memory model: x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a
 * rigorous and usable programmer's model for x86 multiprocessors", CACM 53(7),
 * 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 140
 * OUTCOMES: 0,0,11 0,0,12 0,1,11 0,1,12
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,11 0,0,12 0,1,11 0,1,12
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,11 0,0,12 0,1,11 0,1,12
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,11 0,1,11 0,1,12
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  atomic_store_explicit(&y, 1, memory_order_release);
  return 0;
}

static int t2(void) {
  atomic_store_explicit(&y, 2, memory_order_release);
  int a = atomic_load_explicit(&x, memory_order_acquire);
  return a;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
