/*
 * A whole program in which a thread and main wait for each other.
 *
 * RUN: explore %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, run, NULL);
  pthread_mutex_lock(&lock);
  pthread_join(t, NULL);
  pthread_mutex_unlock(&lock);
  return 0;
}
