/*
 * find() looks at a flag under a lock, again and again, and always lets go of
 * the lock: set() gets it and ends the loop.  No livelock; the load has been
 * seen before the loop.
 *
 * RUN: explore %s --client '{find()} || {set()}'
 * EXIT: 0
 * RUN: explore %s --search=dfs --client '{find()} || {set()}'
 * EXIT: 0
 * RUN: explore %s --search=dpor --client '{find()} || {set()}'
 * EXIT: 0
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static __attribute__((noinline)) int look(void) {
  return atomic_load(&flag);
}

static void find(void) {
  look();
  for (;;) {
    pthread_mutex_lock(&lock);
    int f = look();
    pthread_mutex_unlock(&lock);
    if (f)
      return;
  }
}

static void set(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&flag, 1);
  pthread_mutex_unlock(&lock);
}

FL_OBJECT(cells)
FL_OP(void, find, FL_BLOCKING)
FL_OP(void, set)
