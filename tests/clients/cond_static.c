/*
 * A buffer for one value with a statically initialised condition variable;
 * both operations may wait.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{put(1)} || {put(2)} || {take()} || {take()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;
static int full;

static void put(int v) {
  pthread_mutex_lock(&lock);
  while (full)
    pthread_cond_wait(&changed, &lock);
  value = v;
  full = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  while (!full)
    pthread_cond_wait(&changed, &lock);
  int v = value;
  full = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return v;
}

FL_OBJECT(buffer)
FL_OP(void, put, FL_DATA(1, 2), FL_BLOCKING)
FL_OP(int, take, FL_BLOCKING)
