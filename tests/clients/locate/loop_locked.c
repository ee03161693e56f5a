/*
 * A counter that is emptied in a loop, each round in a critical section of its
 * own: it is between the rounds that others come in.
 *
 * RUN: explore %s -v --width=400 --client 'put(); {drain()} || {level(); put()}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: 1\. lines 26-35 of loop_locked.c, in drain\(\) \(the whole loop\)
 * OUTPUT: with lines 26-35, in each round of this loop alone, this client still \
 *     fails
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void put(void) {
  pthread_mutex_lock(&lock);
  n++;
  pthread_mutex_unlock(&lock);
}

static int drain(void) {
  int got = 0;
  for (;;) {
    pthread_mutex_lock(&lock);
    if (n == 0) {
      pthread_mutex_unlock(&lock);
      return got;
    }
    n--;
    got++;
    pthread_mutex_unlock(&lock);
  }
}

static int level(void) {
  pthread_mutex_lock(&lock);
  int now = n;
  pthread_mutex_unlock(&lock);
  return now;
}

FL_OBJECT(drain)
FL_OP(void, put)
FL_OP(int, drain)
FL_OP(int, level)
