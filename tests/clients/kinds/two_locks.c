/*
 * A sum and a copy of it that are changed under one lock and read under
 * another.  With one lock that is given back in between it looks similar, and
 * is another fault.
 *
 * RUN: %s
 * KIND: two-locks
 * OUTPUT: under different locks: (first|second) \(line (27|41)\) and \
 *     (first|second) \(line (27|41)\)
 * RUN: %s -- -DGIVES_BACK
 * KIND: none
 * RUN: %s -- -DONE_LOCK
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
#ifdef ONE_LOCK
#define second first
#else
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
#endif
static int sum, copy;

static void add(void) {
  pthread_mutex_lock(&first);
  sum++;
#ifdef GIVES_BACK
  pthread_mutex_unlock(&first);
  pthread_mutex_lock(&first);
#endif
  copy++;
  pthread_mutex_unlock(&first);
}

static int differ(void) {
#ifdef GIVES_BACK
#define second first
#endif
  pthread_mutex_lock(&second);
  int d = sum - copy;
  pthread_mutex_unlock(&second);
  return d;
}

FL_OBJECT(sums)
FL_OP(void, add)
FL_OP(int, differ)
