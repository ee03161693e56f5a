/*
 * Variables on stacks that are found to be shared when the search has begun.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --search=dpor
 * EXIT: 0
 * RUN: explore %s --search=dfs
 * EXIT: 0
 */
#include <pthread.h>

static volatile int m;

static void *child(void *arg) {
  *(volatile long *)arg = 3;
  return 0;
}

static void *work(void *arg) {
  (void)m;
  volatile long s = 0;
  pthread_t t;
  pthread_create(&t, 0, child, (void *)&s);
  m = 1;
  pthread_join(t, 0);
  return arg;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, work, 0);
  pthread_create(&t[1], 0, work, 0);
  pthread_join(t[0], 0);
}
