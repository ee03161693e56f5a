#include <faultline.h>

static int x;
static int *wild = (int *)0x1234567;

static int get(void) {
  if (++x == 3)
    *wild = 1;
  return x;
}

FL_OBJECT(thing)
FL_OP(int, get)
