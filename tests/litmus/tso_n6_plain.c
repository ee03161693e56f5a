/*
 * n6: T1 reads its own store from the buffer, then y = 0, and x = 1 at the end:
 * allowed, and forbidden under SC.
 * Here with plain stores and loads.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 420
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 10,0,12 10,0,22 12,0,12 12,0,22 22,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 10
 * OUTCOMES: 10,0,22 12,0,12 12,0,22 22,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

volatile int x;
volatile int y;

static int t1(void) {
  x = 1;
  int a = x;
  int b = y;
  return 10 * a + b;
}

static int t2(void) {
  y = 2;
  x = 2;
  return 0;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
