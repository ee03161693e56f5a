/*
 * Loads and stores in inline assembly are steps: a read and a write are no
 * increment.  The same with a locked instruction, a lock made of one, and an
 * increment by `inc` without a lock.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client '{next()} || {next()}' -- -DHOW=1
 * EXIT: 1
 * OUTCOMES: 0,0 0,1 1,0
 * LINE: load
 * LINE: store
 * RUN: explore %s --client '{next()} || {next()}' -- -DHOW=2
 * EXIT: 0
 * OUTCOMES: 0,1 1,0
 * RUN: explore %s --client '{next()} || {next()}' -- -DHOW=3
 * EXIT: 0
 * OUTCOMES: 0,1 1,0
 * RUN: explore %s --client '{next()} || {next()}; get()' -- -DHOW=4
 * EXIT: 1
 * OUTCOMES: 0,0,1 0,0,2
 */
#include <faultline.h>

#define ASM __asm__ volatile

static int x, held;

static int get(void) {
  int v;
  ASM("movl %1, %0" : "=r"(v) : "m"(x) : "memory"); /* load */
  return v;
}

static void set(int v) {
  ASM("movl %1, %0" : "=m"(x) : "r"(v) : "memory"); /* store */
}

static int add(int v) {
  ASM("lock; xaddl %0, %1" : "+r"(v), "+m"(x) : : "memory");
  return v;
}

static int cas(int *p, int old, int v) {
  char ok;
  ASM("lock; cmpxchgl %3, %1; setz %0"
      : "=q"(ok), "+m"(*p), "+a"(old)
      : "r"(v)
      : "memory");
  return ok;
}

static int next(void) {
#if HOW == 1
  int v = get();
  set(v + 1);
#elif HOW == 2
  int v = add(1);
#elif HOW == 3
  while (!cas(&held, 0, 1))
    ASM("pause");
  int v = x++;
  ASM("movl $0, %0" : "=m"(held) : : "memory");
#else
  int v = 0;
  ASM("incl %0" : "+m"(x) : : "memory");
  (void)set;
#endif
  (void)cas, (void)add, (void)held;
  return v;
}

FL_OBJECT(counter)
FL_OP(int, next)
FL_OP(int, get)
