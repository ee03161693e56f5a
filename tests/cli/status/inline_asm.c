#include <faultline.h>
static int x;
static int inc(void) {
  int r = 1;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(r), "+m"(x));
  return r;
}
static int get(void) { return __atomic_load_n(&x, 5); }
FL_OBJECT(thing)
FL_OP(int, inc)
FL_OP(int, get)
