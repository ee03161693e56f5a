/*
 * A range that is too long to be remembered byte by byte conflicts all the
 * same: what others read of it are steps.
 *
 * RUN: explore %s --client '{set()} || {look()}'
 * EXIT: 1
 * VERDICT: violation
 * OUTCOMES: 0,0 0,1 0,3
 * RUN: explore %s --search=dfs --client '{set()} || {look()}'
 * OUTCOMES: 0,0 0,1 0,3
 */
#include <faultline.h>
#include <string.h>

static char big[300 << 10];

static int set(void) {
  memset(big, 1, sizeof big);
  return 0;
}

static int look(void) {
  volatile char *p = big;
  int a = p[0], b = p[0];
  return a * 2 + b;
}

FL_OBJECT(big)
FL_OP(int, set)
FL_OP(int, look)
