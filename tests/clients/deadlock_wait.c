/*
 * The same wait in an operation that may not wait (no FL_BLOCKING): when all
 * threads wait that is a deadlock.
 *
 * RUN: %s --spurious-wakeups=off --client '{take()} || {put()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static atomic_int count;

static void put(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&count, 1);
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
}

static void take(void) {
  if (atomic_load(&count))
    return;
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&filled, &lock);
  pthread_mutex_unlock(&lock);
}

FL_OBJECT(buffer)
FL_OP(void, put)
FL_OP(void, take)
