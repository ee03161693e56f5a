/*
 * A consumer that looks before it locks can miss the signal and then waits,
 * with a value in the buffer: an operation that may wait, waits where it may
 * not.
 *
 * RUN: %s --client '{take()} || {put()}'
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s --client '{take()} || {take()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static atomic_int count;

static void put(void) {
  pthread_mutex_lock(&lock);
  atomic_fetch_add(&count, 1);
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
}

static void take(void) {
  while (atomic_load(&count) == 0) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
  }
  atomic_fetch_sub(&count, 1);
}

FL_OBJECT(buffer)
FL_OP(void, put)
FL_OP(void, take, FL_BLOCKING)
