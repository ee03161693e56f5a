/*
 * Store buffering with a locked operation on another location in between (amd10
 * with a locked instruction): as under SC.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 70
 * OUTCOMES: 0,1,1111 1,0,1111 1,1,1111
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,1,1111 1,0,1111 1,1,1111
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1,1111 1,0,1111 1,1,1111
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 20
 * OUTCOMES: 0,1,1111 1,0,1111 1,1,1111
 */
#include <faultline.h>
#include <stdatomic.h>

atomic_int w;
atomic_int x;
atomic_int y;
atomic_int z;

static int t1(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  int a = atomic_exchange_explicit(&z, 1, memory_order_relaxed);
  int b = atomic_load_explicit(&y, memory_order_acquire);
  return 10 * a + b;
}

static int t2(void) {
  atomic_store_explicit(&y, 1, memory_order_release);
  int a = atomic_exchange_explicit(&w, 1, memory_order_relaxed);
  int b = atomic_load_explicit(&x, memory_order_acquire);
  return 10 * a + b;
}

static int end(void) { return 1000 * w + 100 * x + 10 * y + z; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
