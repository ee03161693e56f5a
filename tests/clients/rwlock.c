/*
 * A pair behind a reader-writer lock.  Correct; with -DWRONG the writer takes
 * the reader's lock, and readers see half of a write.
 *
 * RUN: %s --client '{set(1)} || {set(2)} || {sum()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{set(1)} || {sum()}' -- -DWRONG
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left;
static int right;

static void set(int v) {
#ifdef WRONG
  pthread_rwlock_rdlock(&lock);
#else
  pthread_rwlock_wrlock(&lock);
#endif
  left = v;
  right = v;
  pthread_rwlock_unlock(&lock);
}

static int sum(void) {
  pthread_rwlock_rdlock(&lock);
  int s = left + right;
  pthread_rwlock_unlock(&lock);
  return s;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, sum)
