/*
 * CoWR: a thread does not read what was there before its own store.
 * Here with plain stores and loads.
 * The published results: Owens, Sarkar, Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Sewell et al., "x86-TSO: a rigorous and usable
 * programmer's model for x86 multiprocessors", CACM 53(7), 2010.
 *
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs --memory-model=tso
 * EXECUTIONS: 20
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 * RUN: explore %s --client '{t1()} || {t2()}; end()' \
 *     --search=dfs
 * EXECUTIONS: 3
 * OUTCOMES: 1,0,1 1,0,2 2,0,2
 */
#include <faultline.h>
#include <stdatomic.h>

volatile int x;

static int t1(void) {
  x = 1;
  int a = x;
  return a;
}

static int t2(void) {
  x = 2;
  return 0;
}

static int end(void) { return x; }

FL_OBJECT(litmus)
FL_OP(int, t1)
FL_OP(int, t2)
FL_OP(int, end)
