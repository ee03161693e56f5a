/*
 * a() and b() touch different words: that b() returned before a() was called is
 * in no location.  both() may miss what b() did and then see what a() did after
 * it, which no order explains.  A search that leaves out the order of returns
 * and calls runs one execution for each order of conflicts, of which there are
 * four, and misses it, unless by luck (with other orders of the threads).
 *
 * RUN: explore %s --search=dfs --client '{both()} || {a()} || {b()}'
 * VERDICT: violation
 * RUN: explore %s --search=stateful --client '{both()} || {a()} || {b()}'
 * VERDICT: violation
 * RUN: explore %s --search=dpor --client '{both()} || {a()} || {b()}'
 * VERDICT: violation
 * RUN: explore %s --search=dpor --no-real-time --client \
 *     '{both()} || {a()} || {b()}'
 * VERDICT: pass
 * EXECUTIONS: 4
 * OUTPUT: whatever the order of calls and
 */
#include <faultline.h>

static int x, y;

static void a(void) { x = 1; }
static void b(void) { y = 1; }

static int both(void) {
  int first = y;
  return first + 2 * x;
}

FL_OBJECT(pair)
FL_OP(void, a)
FL_OP(void, b)
FL_OP(int, both)
