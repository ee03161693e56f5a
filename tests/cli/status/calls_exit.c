#include <faultline.h>
#include <stdlib.h>
static int x;
static int get(void) {
  if (++x == 2)
    exit(3);
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
