/* A sum and the highest that it was, by primitives of a header. */
#include "atomics.h"
#include <faultline.h>

static atomic_int sum, highest;

static int add(int v) {
  int old = load(&sum);
  while (!cas(&sum, old, old + v))
    old = load(&sum);
  int h = load(&highest); /* first */
  if (old + v > h)
    store(&highest, old + v); /* last */
  return old;
}
static int top(void) {
  return load(&highest);
}

FL_OBJECT(highest)
FL_OP(int, add, FL_DATA(1, 2))
FL_OP(int, top)
