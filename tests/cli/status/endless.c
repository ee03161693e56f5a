#include <faultline.h>
static int x;
static int get(void) {
  if (++x == 2)
    for (;;)
      __asm__ volatile("");
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
