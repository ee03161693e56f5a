/*
 * A timed wait whose time runs out while another thread holds the mutex: that
 * thread can still make true what is waited for, so that the wait is late and
 * the flag set.  Whoever is late is not woken any more: -DLOST, a signal
 * behind that is lost, although the wait has not returned.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --search=dfs
 * EXIT: 1
 * FAULT: assert
 * RUN: explore %s --search=dpor
 * EXIT: 1
 * FAULT: assert
 * RUN: explore %s -- -DCLOCK
 * EXIT: 1
 * FAULT: assert
 * RUN: explore %s -- -DC11
 * EXIT: 1
 * FAULT: assert
 * RUN: explore %s --search=dfs -- -DLOST
 * EXIT: 1
 * FAULT: deadlock
 * RUN: explore %s --search=dpor -- -DLOST
 * EXIT: 1
 * FAULT: deadlock
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static mtx_t m11;
static cnd_t c11;
static int flag;
static const struct timespec soon = {0, 0};

#ifdef C11
#define LOCK() mtx_lock(&m11)
#define UNLOCK() mtx_unlock(&m11)
#define SIGNAL() cnd_signal(&c11)
#define LATE() (cnd_timedwait(&c11, &m11, &soon) == thrd_timedout)
#else
#define LOCK() pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#define SIGNAL() pthread_cond_signal(&c)
#ifdef CLOCK
#define LATE()                                                                 \
  (pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &soon) == ETIMEDOUT)
#else
#define LATE() (pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT)
#endif
#endif

static void *sets(void *arg) {
  LOCK();
  flag = 1;
  SIGNAL();
  UNLOCK();
  return arg;
}

int main(void) {
  mtx_init(&m11, mtx_plain);
  cnd_init(&c11);
  pthread_t t;
  pthread_create(&t, NULL, sets, NULL);
  LOCK();
  int late = flag ? 0 : LATE();
#ifdef LOST
  while (late && flag) /* the signal was for nobody: there is no other */
    pthread_cond_wait(&c, &m);
#else
  assert(!late || !flag);
#endif
  UNLOCK();
  pthread_join(t, NULL);
  return 0;
}
