/*
 * Takers that wait on a semaphore, and givers that post only when somebody
 * waits.  Looking for waiters too early loses the wake-up, and so does not
 * posting at all.  Two semaphores that are taken in two orders are a deadlock,
 * and no wake-up is missing.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -v -- -DEARLY
 * KIND: lost-wakeup
 * OUTPUT: take\(\) sleeps for ever: give\(\) changes left at line 52 and does \
 *     not post
 * OUTPUT: with a wake-up after each change of left, this client passes
 * OUTPUT: Fix: Add sem_post\(&given\) after line 52 in give\(\) \(tried:
 * RUN: %s -- -DNEVER
 * KIND: lost-wakeup
 * RUN: %s -- -DTWO_ORDERS
 * FAULT: deadlock
 * KIND: none
 */
#include <faultline.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t given;
static int left, waiting;

static void create(void) { sem_init(&given, 0, 0); }

#ifndef TWO_ORDERS
static int take(void) {
  pthread_mutex_lock(&lock);
  while (left == 0) {
    waiting++;
    pthread_mutex_unlock(&lock);
    sem_wait(&given);
    pthread_mutex_lock(&lock);
  }
  int now = --left;
  pthread_mutex_unlock(&lock);
  return now;
}

static void give(void) {
#ifdef EARLY
  pthread_mutex_lock(&lock);
  int somebody = waiting;
  pthread_mutex_unlock(&lock);
#endif
  pthread_mutex_lock(&lock);
  left++;
#ifndef EARLY
  int somebody = waiting;
#endif
  waiting -= somebody > 0;
  pthread_mutex_unlock(&lock);
#ifndef NEVER
  if (somebody)
    sem_post(&given);
#endif
}

FL_OBJECT(pool, create)
FL_OP(int, take, FL_BLOCKING)
FL_OP(void, give)
#else
static sem_t other;
static void make(void) {
  create();
  sem_post(&given);
  sem_init(&other, 0, 1);
}
static int both(sem_t *a, sem_t *b) {
  while (sem_wait(a))
    ;
  while (sem_wait(b))
    ;
  int now = ++left;
  sem_post(b);
  sem_post(a);
  return now;
}
static int take(void) { return both(&given, &other); }
static int give(void) { return both(&other, &given); }
FL_OBJECT(pool, make)
FL_OP(int, take)
FL_OP(int, give)
#endif
