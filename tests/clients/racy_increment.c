/*
 * x = x + 1 is one read and one write with every compiler and level: two
 * threads have C(4,2) = 6 executions, three 6!/(2!2!2!) = 90.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dfs --client '{increment()} || {increment()}; get()'
 * EXECUTIONS: 6
 * OUTCOMES: 0,0,1 0,0,2
 * RUN: explore %s --search=dfs --client '{increment()} || {increment()} || \
 *     {increment()}; get()'
 * EXECUTIONS: 90
 * OUTCOMES: 0,0,0,1 0,0,0,2 0,0,0,3
 */
#include <faultline.h>

static int x;

static int increment(void) {
  x = x + 1;
  return 0;
}

static int get(void) { return x; }

FL_OBJECT(x)
FL_OP(int, increment)
FL_OP(int, get)
