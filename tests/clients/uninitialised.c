/*
 * A local variable that is not initialised has the compiler's pattern, also
 * where an earlier call left another value; unless a flag says otherwise.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --client '{leave(7)}; look()'
 * OUTCOMES: -,1
 */
#include <faultline.h>

static volatile int seen;

static __attribute__((noinline)) void leave(int n) {
  volatile int here[16];
  for (int i = 0; i < 16; i++)
    here[i] = n;
  seen = here[n];
}

static __attribute__((noinline)) int look(void) {
  volatile int here[16];
  seen = 1;
  int n = here[3]; /* 0xfe… by gcc, 0xaa… by clang */
  return n == (int)0xfefefefe || n == (int)0xaaaaaaaa;
}

FL_OBJECT(locals)
FL_OP(void, leave, FL_INT(1, 2))
FL_OP(int, look)
