/*
 * Two exchanges on one location, with a store before each: locked operations
 * drain the buffer.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 70
 * OUTCOMES: 0,11 1,11 21,0 21,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,11 1,11 21,0 21,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,11 1,11 21,0 21,1
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs
 * EXECUTIONS: 20
 * OUTCOMES: 0,11 1,11 21,0 21,1
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;
atomic_int z;

static int t1(void) {
  atomic_store_explicit(&y, 1, memory_order_release);
  int a = atomic_exchange_explicit(&x, 1, memory_order_relaxed);
  int b = atomic_load_explicit(&z, memory_order_acquire);
  return 10 * a + b;
}

static int t2(void) {
  atomic_store_explicit(&z, 1, memory_order_release);
  int a = atomic_exchange_explicit(&x, 2, memory_order_relaxed);
  int b = atomic_load_explicit(&y, memory_order_acquire);
  return 10 * a + b;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
