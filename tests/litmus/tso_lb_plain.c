/*
 * Load buffering: a load is not overtaken by a later store (iwp2.2); as under
 * SC. Here with plain stores and loads. The published results: Owens, Sarkar,
 * Sewell, "A better x86 memory model: x86-TSO", TPHOLs 2009; Sewell et al.,
 * "x86-TSO: a rigorous and usable programmer's model for x86 multiprocessors",
 * CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 20
 * OUTCOMES: 0,0 0,1 1,0
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0
 * RUN: explore %s --client '{t1()} || {t2()}' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0 0,1 1,0
 */
#include <faultline.h>
#include <stdatomic.h>

volatile int x;
volatile int y;

static int t1(void) {
  int a = x;
  y = 1;
  return a;
}

static int t2(void) {
  int a = y;
  x = 1;
  return a;
}

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
