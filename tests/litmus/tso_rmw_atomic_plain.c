/*
 * Two exchanges on one location, with a store before each: locked operations
 * drain the buffer.
 * Here with plain stores and loads.
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

volatile int x;
volatile int y;
volatile int z;

static int t1(void) {
  y = 1;
  int a = __atomic_exchange_n(&x, 1, __ATOMIC_RELAXED);
  int b = z;
  return 10 * a + b;
}

static int t2(void) {
  z = 1;
  int a = __atomic_exchange_n(&x, 2, __ATOMIC_RELAXED);
  int b = y;
  return 10 * a + b;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
