/*
 * Two locks that are taken in different orders, and given back when the second
 * is taken: both threads can try for ever.  And a thread that is stopped
 * between its two locks stops the other one.
 *
 * RUN: %s -- -DCONDITION=lock_free
 * EXIT: 1
 * FAULT: progress
 * CLIENT: ^\{a_then_b\(\)\} \|\| \{[ab]_then_[ab]\(\)\}$
 * RUN: %s -- -DCONDITION=obstruction_free
 * EXIT: 1
 * FAULT: progress
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
  for (;;) {
    if (pthread_mutex_trylock(first))
      continue;
    if (!pthread_mutex_trylock(second))
      break;
    pthread_mutex_unlock(first);
  }
  n++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void a_then_b(void) { both(&a, &b); }
static void b_then_a(void) { both(&b, &a); }

FL_OBJECT(pair)
FL_OP(void, a_then_b)
FL_OP(void, b_then_a)
FL_PROGRESS(CONDITION)
