/*
 * An event that threads wait for until somebody sets it: "ready", "stop".
 *
 * Wrong: set() stores the flag and signals without the lock, since "the flag is
 * atomic".  A waiter that has seen the flag clear, and does not wait yet,
 * misses the signal and sleeps for ever.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable deadlock
 * BLAME: sleep
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int is_set;

static void set(void) {
#ifdef WRONG
  atomic_store(&is_set, 1);
  pthread_cond_broadcast(&changed);
#else
  pthread_mutex_lock(&lock);
  atomic_store(&is_set, 1);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
#endif
}

static void wait_for(void) {
  pthread_mutex_lock(&lock);
  while (!atomic_load(&is_set))
    pthread_cond_wait(&changed, &lock); /* sleep */
  pthread_mutex_unlock(&lock);
}

FL_OBJECT(event)
FL_OP(void, set)
FL_OP(void, wait_for, FL_BLOCKING)
