/*
 * Text that is printed into shared memory or from it, without a lock, is read
 * and written in several steps, whatever the compiler makes of the call.
 * 0: torn.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client '{set(1)} || {printed()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {allocated()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {number()}'
 * OUTCOMES: -,0 -,11 -,1
 * RUN: explore %s --client '{put()} || {twice()}'
 * OUTCOMES: -,0 -,1 -,3
 */
#define _GNU_SOURCE
#include <faultline.h>
#include <stdio.h>
#include <stdlib.h>

static char name[16] = "00", copy[16];

static void set(int c) {
  volatile char *p = name;
  p[1] = (char)('0' + c);
  p[0] = (char)('0' + c);
}

static int printed(void) {
  char out[16];
  snprintf(out, sizeof out, "%.*s", 2, name);
  return out[0] == out[1];
}
static int allocated(void) {
  char *out;
  if (asprintf(&out, "%d%s", 1, name) < 0)
    return -1;
  int whole = out[1] == out[2];
  free(out);
  return whole;
}
static int number(void) { return (int)strtol(name, NULL, 10); }

static void put(void) { sprintf(copy, "hello"); }
static int twice(void) {
  volatile char *p = copy;
  int a = p[0] != 0, b = p[0] != 0;
  return a * 2 + b;
}

FL_OBJECT(text)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, printed)
FL_OP(int, allocated)
FL_OP(int, number)
FL_OP(void, put)
FL_OP(int, twice)
