/*
 * String instructions are several steps; a bit's number may lead beyond the
 * operand; 8 and 16 bytes are compared and exchanged at once; system calls and
 * the processor's clock are those of the engine.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client 'put(); {copy()} || {put()}'
 * OUTCOMES: -,0,- -,1,- -,2,- -,3,-
 * RUN: explore %s --client '{equal()} || {put()}'
 * OUTCOMES: 0,- 1,-
 * RUN: explore %s --client '{find()} || {put()}'
 * OUTCOMES: 0,- 1,- 2,-
 * RUN: explore %s \
 *     --client '{bit(3)} || {bit(70)} || {bit(70)}; word(0); word(1)'
 * EXIT: 0
 * OUTCOMES: 0,0,1,8,64 0,1,0,8,64
 * RUN: explore %s --client '{both()} || {both()}; word(2); word(3)'
 * EXIT: 0
 * OUTCOMES: 0,1,2,2 1,0,2,2
 * RUN: explore %s --client '{half()} || {half()}; word(2)'
 * EXIT: 0
 * OUTCOMES: 0,1,2 1,0,2
 * RUN: explore %s --client '{me()} || {me()}'
 * EXIT: 0
 * OUTCOMES: 1,1
 * RUN: explore %s --client '{nap()} || {wake()}'
 * OUTCOMES: 0,- 1,-
 */
#include <faultline.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#define ASM __asm__ volatile

static long from[2], word_[4] __attribute__((aligned(16)));
static int asleep;

static void put(void) { /* one after the other */
  __atomic_fetch_add(&from[0], 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&from[1], 1, __ATOMIC_SEQ_CST);
}

static int copy(void) {
  long to[2] = {0}, n = 2;
  void *d = to;
  const void *s = from;
  ASM("rep movsq" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
  return (int)(2 * (to[0] - 1) + to[1] - 1);
}

static int equal(void) { /* with {1, 1} */
  static const long ones[2] = {1, 1};
  long n = 2;
  char is;
  const void *a = ones, *b = from;
  ASM("repe cmpsq; sete %0" : "=q"(is), "+D"(a), "+S"(b), "+c"(n) : : "memory");
  return is;
}

static int find(void) { /* the first that is 0 */
  long n = 2;
  const long *at = from;
  char found;
  ASM("repne scasq; sete %0"
      : "=q"(found), "+D"(at), "+c"(n)
      : "a"(0L)
      : "memory");
  return found ? (int)(at - from) - 1 : 2;
}

static int bit(int k) {
  char was;
  ASM("lock; btsq %2, %1; setc %0"
      : "=q"(was), "+m"(word_)
      : "r"((long)k)
      : "memory");
  return was;
}

static long word(int i) { return word_[i]; }

static int both(void) { /* counts both words 2 and 3 */
  long lo = 0, hi = 0;
  char ok;
  do
    ASM("lock; cmpxchg16b %1; setz %0"
        : "=q"(ok), "+m"(*(long(*)[2])(word_ + 2)), "+a"(lo), "+d"(hi)
        : "b"(lo + 1), "c"(hi + 1)
        : "memory");
  while (!ok);
  return (int)lo;
}

static int half(void) {
  int lo = 0, hi = 0;
  char ok;
  do
    ASM("lock; cmpxchg8b %1; setz %0"
        : "=q"(ok), "+m"(word_[2]), "+a"(lo), "+d"(hi)
        : "b"(lo + 1), "c"(hi)
        : "memory");
  while (!ok);
  return lo;
}

static long system_call(long number, void *a, long b, long c) {
  long r;
  register long d __asm__("r10") = 0;
  ASM("syscall"
      : "=a"(r)
      : "0"(number), "D"(a), "S"(b), "d"(c), "r"(d)
      : "rcx", "r11", "memory");
  return r;
}

static int me(void) { /* the same twice, and the clock goes on */
  unsigned a, b, hi;
  ASM("rdtsc" : "=a"(a), "=d"(hi));
  ASM("rdtsc" : "=a"(b), "=d"(hi));
  return b > a &&
         system_call(SYS_gettid, 0, 0, 0) == system_call(SYS_gettid, 0, 0, 0);
}

static int nap(void) {
  return system_call(SYS_futex, &asleep, FUTEX_WAIT, 0) < 0;
}

static void wake(void) {
  __atomic_store_n(&asleep, 1, __ATOMIC_SEQ_CST);
  system_call(SYS_futex, &asleep, FUTEX_WAKE, 1);
}

FL_OBJECT(strings)
FL_OP(void, put)
FL_OP(int, copy)
FL_OP(int, equal)
FL_OP(int, find)
FL_OP(int, bit, FL_INT(0, 127))
FL_OP(long, word, FL_INT(0, 3))
FL_OP(int, both)
FL_OP(int, half)
FL_OP(int, me)
FL_OP(int, nap)
FL_OP(void, wake)
