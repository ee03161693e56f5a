/*
 * S: x = 2 at the end though T2 saw y = 1: forbidden, as under SC.
 * Here with plain stores and loads.
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

volatile int x;
volatile int y;

static int t1(void) {
  x = 2;
  y = 1;
  return 0;
}

static int t2(void) {
  int a = y;
  x = 1;
  return a;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
