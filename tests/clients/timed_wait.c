/*
 * A timed wait in a loop that only another thread can end: who comes late waits
 * for ever, however often the wait times out.  -DSTAYS: nobody takes the flag
 * back.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s
 * EXIT: 1
 * FAULT: livelock
 * RUN: explore %s --search=dpor
 * EXIT: 1
 * FAULT: livelock
 * RUN: explore %s -- -DSTAYS
 * EXIT: 0
 * RUN: explore %s --search=dpor -- -DSTAYS
 * EXIT: 0
 * RUN: explore %s --search=dfs -- -DSTAYS
 * EXIT: 0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag;

static void set(int value) {
  pthread_mutex_lock(&m);
  flag = value;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}

static void *pulse(void *arg) {
  set(1);
#ifndef STAYS
  set(0);
#endif
  return arg;
}

static void *waits(void *arg) {
  pthread_mutex_lock(&m);
  while (!flag) {
    struct timespec t = {0, 0};
    pthread_cond_timedwait(&c, &m, &t);
  }
  pthread_mutex_unlock(&m);
  return arg;
}

int main(void) {
  pthread_t p, q;
  pthread_create(&p, NULL, pulse, NULL);
  pthread_create(&q, NULL, waits, NULL);
  pthread_join(p, NULL);
  pthread_join(q, NULL);
  return 0;
}
