/*
 * A thread's own pointer to a variable of a function that has returned.
 *
 * OPT: -O0 -O1
 * RUN: %s --no-save --no-html
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-return
 * LINE: dead
 */
#include <faultline.h>

static int *volatile kept;
static volatile int x;

static __attribute__((noinline)) void keep(void) {
  volatile int v[8] = {1};
  kept = (int *)v;
  v[0]++;
}

static int get(void) {
  keep();
  x++;
  return *(volatile int *)kept; /* dead */
}

FL_OBJECT(own)
FL_OP(int, get)
