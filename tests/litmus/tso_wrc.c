/*
 * WRC: who has seen a store, and lets that be known, has others see it too
 * (iwp2.5, amd7): as under SC.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 210
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()}' \
 *     --search=dfs
 * EXECUTIONS: 30
 * OUTCOMES: 0,0,0 0,0,1 0,0,10 0,0,11 0,1,0 0,1,1 0,1,11
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  return 0;
}

static int t2(void) {
  int a = atomic_load_explicit(&x, memory_order_acquire);
  atomic_store_explicit(&y, 1, memory_order_release);
  return a;
}

static int t3(void) {
  int a = atomic_load_explicit(&y, memory_order_acquire);
  int b = atomic_load_explicit(&x, memory_order_acquire);
  return 10 * a + b;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, t3)
