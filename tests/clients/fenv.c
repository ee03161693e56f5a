/*
 * The floating-point environment is a thread's own: rounding, of SSE and of the
 * x87 unit, and the exceptions that were met.  A thread that an operation
 * creates begins with that of its creator.
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --threads 2 --ops 1 --init 0 -- -lm
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --threads 2 --ops 1 --init 0 --search=dpor -- -lm
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --threads 2 --ops 1 --init 0 -- -lm -DTRAP
 * EXIT: 1
 * FAULT: crash
 * OUTPUT: floating-point
 * OUTPUT: divide\(\)
 */
#include <assert.h>
#include <faultline.h>
#include <fenv.h>
#include <pthread.h>

int feenableexcept(int);

static volatile int meet;
static volatile double one = 1, three = 3, zero = 0;

static int pass(int r) {
  meet = r;
  return meet;
}

/* 1/3 as every thread rounds it that has not asked for anything else. */
static void nearest(void) {
  volatile long double long_one = 1, long_three = 3;
  pass(1);
  assert(one / three == 0x1.5555555555555p-2);
  pass(2);
  assert(long_one / long_three == 0xa.aaaaaaaaaaaaaabp-5L);
  assert(fegetround() == FE_TONEAREST);
}

static void upward(void) {
  volatile long double long_one = 1, long_three = 3;
  fesetround(FE_UPWARD);
  pass(3);
  assert(one / three == 0x1.5555555555556p-2);
  pass(4);
  assert(-long_one / long_three == -0xa.aaaaaaaaaaaaaaap-5L);
  assert(fegetround() == FE_UPWARD);
  fesetround(FE_TONEAREST);
}

static void *inherits(void *arg) {
  pass(5);
  assert(fegetround() == FE_DOWNWARD);
  fesetround(FE_TONEAREST);
  return arg;
}

static void creates(void) {
  pthread_t t;
  fesetround(FE_DOWNWARD);
  pthread_create(&t, 0, inherits, 0);
  pthread_join(t, 0);
  assert(fegetround() == FE_DOWNWARD);
  fesetround(FE_TONEAREST);
}

static void divides(void) {
  pass(6);
  volatile double inf = one / zero;
  (void)inf;
  pass(7);
  assert(fetestexcept(FE_DIVBYZERO));
  feclearexcept(FE_ALL_EXCEPT);
}

static void looks(void) {
  pass(8);
  assert(!fetestexcept(FE_DIVBYZERO));
}

/* What the hooks come between, in registers that they must not change. */
static void registers(void) {
  volatile long double long_one = 1, long_three = 3;
  long double sum = 0;
  for (int i = 1; i <= 2; i++)
    sum += long_one / (i + 0 * meet);
  assert(sum == 1.5L);
}

typedef long vector __attribute__((vector_size(16)));

static void vectors(void) {
  vector v = {1, 2};
  __asm__("" : "+x"(v)); /* not a constant */
  pass(9);
  v += (vector){4, 3};
  pass(10);
  assert(v[0] == 5 && v[1] == 5);
}

FL_OBJECT(unit)
FL_OP(void, nearest)
FL_OP(void, upward)
FL_OP(void, creates)
FL_OP(void, divides)
FL_OP(void, looks)
FL_OP(void, registers)
FL_OP(void, vectors)

#ifdef TRAP
static int divide(void) {
  feenableexcept(FE_DIVBYZERO);
  pass(11);
  return one / zero > 0; /* here */
}
FL_OP(int, divide)
#endif
