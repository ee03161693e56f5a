/*
 * There is one clock, which never goes back: stamps that are taken under a lock
 * are in order, those that were taken before it are not (-DLATE).  Loops that
 * wait for a deadline end, and a wait that timed out was as long as it had to
 * be.
 *
 * OPT: -O0 -O1 -O2
 * RUN: %s --threads 2 --ops 1 --init 1 --max-executions 3000
 * EXIT: 0
 * VERDICT: pass
 * NOOUTPUT: cut at
 * RUN: %s --threads 2 --ops 1 --init 1 --search=dpor --max-executions 3000
 * EXIT: 0
 * VERDICT: pass
 * NOOUTPUT: cut at
 * RUN: %s -- -DLATE
 * EXIT: 1
 * FAULT: assert
 * RUN: %s --search=dpor -- -DLATE
 * EXIT: 1
 * FAULT: assert
 */
#include <assert.h>
#include <errno.h>
#include <faultline.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static long last;

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void stamp(void) {
#ifdef LATE
  long t = now();
  pthread_mutex_lock(&lock);
#else
  pthread_mutex_lock(&lock);
  long t = now();
#endif
  assert(t > last);
  last = t;
  pthread_mutex_unlock(&lock);
}

FL_OBJECT(stamps)
FL_OP(void, stamp)

#ifndef LATE
/* Busily, and with pauses. */
static void polls(void) {
  long until = now() + 1000000000;
  while (now() < until)
    ;
}
static void naps(void) {
  long until = now() + 1000000000;
  while (now() < until)
    usleep(100);
}

static void waits(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 5;
  pthread_mutex_lock(&lock);
  if (pthread_cond_timedwait(&never, &lock, &until) == ETIMEDOUT)
    assert(now() >= until.tv_sec * 1000000000 + until.tv_nsec);
  pthread_mutex_unlock(&lock);
}
FL_OP(void, polls)
FL_OP(void, naps)
FL_OP(void, waits)
#endif
