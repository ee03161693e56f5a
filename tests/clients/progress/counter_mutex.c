/*
 * RUN: %s
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: waits for lock, held by T1
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static int inc(void) {
  pthread_mutex_lock(&lock);
  int was = n++;
  pthread_mutex_unlock(&lock);
  return was;
}

FL_OBJECT(counter)
FL_OP(int, inc)
FL_PROGRESS(obstruction_free)
