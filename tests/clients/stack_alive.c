/*
 * Frames that are alive: of who waits in a join, memory of alloca, and what
 * longjmp goes back to.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dpor --client '{lend(); jump()} || {lend()}'
 * EXIT: 0
 * RUN: explore %s --client '{lend(); jump()} || {jump(); lend()}'
 * EXIT: 0
 */
#include <alloca.h>
#include <faultline.h>
#include <pthread.h>
#include <setjmp.h>

static volatile int x;

static void *fill(void *arg) {
  volatile int *p = arg;
  p[0] = 1;
  p[999] = 2;
  return 0;
}

static int lend(void) {
  volatile int *p = alloca(1000 * sizeof *p);
  pthread_t t;
  pthread_create(&t, 0, fill, (void *)p);
  pthread_join(t, 0);
  return p[0] + p[999];
}

static __attribute__((noinline)) void deep(jmp_buf back, volatile int *p) {
  volatile int pad[64];
  pad[0] = ++*p;
  longjmp(back, 1);
}

static int jump(void) {
  jmp_buf back;
  volatile int v = 0;
  if (!setjmp(back))
    deep(back, &v);
  x = 1;
  return v;
}

FL_OBJECT(alive)
FL_OP(int, lend)
FL_OP(int, jump)
