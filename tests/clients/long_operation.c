/*
 * An operation that needs more accesses than --max-steps is no endless one, and
 * what is wrong with it is found: the bound is for what comes on top.
 *
 * RUN: explore %s --search=random --max-executions 5 --max-steps 100 --client \
 *     '{increment(1)} || {increment(2)}'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * NOOUTPUT: cut at
 */
#include <faultline.h>

static volatile int x, y[2], z;

static int increment(int i) {
  int r = x;
  for (int k = 0; k < 300; k++)
    y[i - 1] = k;
  x = r + 1;
  return r;
}
static int get(void) { return z; }

FL_OBJECT(counter)
FL_OP(int, increment, FL_INT(1, 2))
FL_OP(int, get)
