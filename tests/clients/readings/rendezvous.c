/*
 * A synchronous queue: give() hands its value to a receive() that is there at
 * the same time, and both wait until then.  In EARLY give() returns when it has
 * left the value, though nobody has come yet.
 *
 * RUN: test %s --threads 3 --ops 2
 * VERDICT: pass
 * RUN: explore %s --search=dpor --client '{give(1)} || {receive()}'
 * VERDICT: pass
 * RUN: test %s -- -DEARLY
 * VERDICT: violation
 * OUTPUT: give\(.\) should wait
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, given, taken;

static void give(int v) {
  pthread_mutex_lock(&lock);
  while (value)
    pthread_cond_wait(&changed, &lock);
  value = v;
  int mine = ++given;
  pthread_cond_broadcast(&changed);
#ifndef EARLY
  while (taken < mine)
    pthread_cond_wait(&changed, &lock);
#else
  (void)mine;
#endif
  pthread_mutex_unlock(&lock);
}

static int receive(void) {
  pthread_mutex_lock(&lock);
  while (!value)
    pthread_cond_wait(&changed, &lock);
  int v = value;
  value = 0;
  taken++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return v;
}

FL_OBJECT(rendezvous)
FL_OP(void, give, FL_INT(1, 2), FL_BLOCKING)
FL_OP(int, receive, FL_BLOCKING)
FL_SPEC(rendezvous, put = give, take = receive)
