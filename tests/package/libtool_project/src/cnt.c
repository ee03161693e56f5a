#include "config.h"

#include "cnt.h"

#include <math.h>

#ifndef RUNS
#error "configure could not run a program"
#endif

int help_add(int n);

volatile double two = 2;
static int n;

int cnt_next(void) {
  n = help_add(n);
  return n + (int)pow(two, 0) - 1;
}
