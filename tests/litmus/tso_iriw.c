/*
 * Independent reads of independent writes: one order of stores for all (iwp2.6,
 * amd6 forbids); as under SC.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()} || {t4()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 2520
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *      0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *      0,0,11,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()} || {t4()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *      0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *      0,0,11,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()} || {t4()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *      0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *      0,0,11,11
 * RUN: explore %s --client '{t1()} || {t2()} || {t3()} || {t4()}' \
 *     --search=dfs
 * EXECUTIONS: 180
 * OUTCOMES: 0,0,0,0 0,0,0,1 0,0,0,10 0,0,0,11 0,0,1,0 0,0,1,1 0,0,1,10 \
 *      0,0,1,11 0,0,10,0 0,0,10,1 0,0,10,11 0,0,11,0 0,0,11,1 0,0,11,10 \
 *      0,0,11,11
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
  atomic_store_explicit(&y, 1, memory_order_release);
  return 0;
}

static int t3(void) {
  int a = atomic_load_explicit(&x, memory_order_acquire);
  int b = atomic_load_explicit(&y, memory_order_acquire);
  return 10 * a + b;
}

static int t4(void) {
  int a = atomic_load_explicit(&y, memory_order_acquire);
  int b = atomic_load_explicit(&x, memory_order_acquire);
  return 10 * a + b;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, t3)
FL_OP(int, t4)
