/*
 * A condition variable may be destroyed and freed as soon as everybody who
 * waits has been woken (POSIX has it as the example of pthread_cond_destroy):
 * who has been woken and waits for the mutex no longer needs it.  -DEARLY: it
 * is freed while a thread still waits.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --search=dfs
 * EXIT: 0
 * RUN: explore %s --search=dpor -- -DTIMED
 * EXIT: 0
 * RUN: explore %s --search=dfs -- -DTIMED
 * EXIT: 0
 * RUN: explore %s --search=dpor -- -DTIMED -DEARLY
 * EXIT: 1
 * FAULT: use-after-free
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *c;
static int gone;
static const struct timespec soon = {0, 0};

static void *waits(void *arg) {
  pthread_mutex_lock(&m);
  if (!gone) {
#ifdef TIMED
    pthread_cond_timedwait(c, &m, &soon);
#else
    pthread_cond_wait(c, &m);
#endif
  }
  pthread_mutex_unlock(&m);
  return arg;
}

int main(void) {
  pthread_t t;
  c = malloc(sizeof *c);
  pthread_cond_init(c, NULL);
  pthread_create(&t, NULL, waits, NULL);
  pthread_mutex_lock(&m);
  gone = 1;
#ifndef EARLY
  pthread_cond_broadcast(c);
#endif
  pthread_mutex_unlock(&m);
#ifndef EARLY
  pthread_cond_destroy(c);
#endif
  free(c);
  pthread_join(t, NULL);
  return 0;
}
