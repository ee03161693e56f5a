/*
 * CoRR: two loads of one location see its stores in order.
 * Here with plain stores and loads.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 30
 * OUTCOMES: 0,0 0,1 0,11 0,12 0,2 0,22
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0 0,1 0,11 0,12 0,2 0,22
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0 0,1 0,11 0,12 0,2 0,22
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0 0,1 0,11 0,12 0,2 0,22
 */
#include <faultline.h>
#include <stdatomic.h>

volatile int x;

static int t1(void) {
  x = 1;
  x = 2;
  return 0;
}

static int t2(void) {
  int a = x;
  int b = x;
  return 10 * a + b;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
