/*
 * A thread unlocks a mutex that another one holds.
 *
 * RUN: %s --client '{hold()} || {let_go()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: lock-misuse
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;

static void hold(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&held, 1);
  atomic_store(&held, 0);
  pthread_mutex_unlock(&lock);
}

static void let_go(void) {
  if (atomic_load(&held))
    pthread_mutex_unlock(&lock);
}

FL_OBJECT(lock)
FL_OP(void, hold)
FL_OP(void, let_go)
