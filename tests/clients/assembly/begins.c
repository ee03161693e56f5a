/*
 * A call begins before anything of its operation runs, also if that has no
 * hook: get() is behind set() when it was called behind it.
 *
 * OPT: -O0 -O2
 * RUN: %s --client 'set(1); {get(); set(2)} || {get(); get()}' \
 *     -- -DHOW=1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'set(1); {get(); set(2)} || {get(); get()}' \
 *     -- -DHOW=2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'set(1); {get(); set(2)} || {get(); get()}' \
 *     -- -DHOW=3
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdlib.h>

static int x;
static char text[2] = "0";

__attribute__((noinline, no_sanitize("thread"))) static int peek(void) {
  return *(volatile int *)&x;
}

static void set(int v) {
  __atomic_store_n(&x, v, __ATOMIC_SEQ_CST);
  __atomic_store_n(&text[0], (char)('0' + v), __ATOMIC_SEQ_CST);
}

static int get(void) {
  int r = 0;
#if HOW == 1
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(r), "+m"(x) : : "memory");
#elif HOW == 2
  r = peek();
#else
  r = (int)strtol(text, NULL, 10);
#endif
  (void)peek;
  return r;
}

FL_OBJECT(reg)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, get)
FL_SPEC(register, write = set, read = get, initial = 0)
