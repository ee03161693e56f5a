/*
 * R: the store of T2 may be delayed past its load: y = 2 at the end and T2
 * reads x = 0, which SC forbids. Here with plain stores and loads. The
 * published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
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

volatile int x;
volatile int y;

static int t1(void) {
  x = 1;
  y = 1;
  return 0;
}

static int t2(void) {
  y = 2;
  int a = x;
  return a;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
