/*
 * 2+2W: stores are seen in their order: x = y = 1 at the end is forbidden, as
 * under SC.
 * Here with plain stores and loads.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 280
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,12 0,0,21 0,0,22
 */
#include <faultline.h>
#include <stdatomic.h>

volatile int x;
volatile int y;

static int t1(void) {
  x = 1;
  y = 2;
  return 0;
}

static int t2(void) {
  y = 1;
  x = 2;
  return 0;
}

static int end(void) { return 10 * x + y; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
