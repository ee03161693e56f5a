/*
 * A list under a lock of readers and writers: taking something off it changes
 * the list.  A count of lookups that is atomic may change under a shared lock.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DSHARED
 * KIND: shared-lock
 * OUTPUT: take\(\) writes list.(len|at\[[01]\]) at line 3[45] under a shared \
 *     lock, list.lock \(line 27\)
 * OUTPUT: Fix: Write pthread_rwlock_wrlock for pthread_rwlock_rdlock at line \
 *     27 in take\(\) \(tried: compiled and searched, no fault
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static struct {
  pthread_rwlock_t lock;
  atomic_int lookups;
  int len, at[4];
} list = {PTHREAD_RWLOCK_INITIALIZER, 0, 2, {7, 8, 0, 0}};

static int take(void) {
#ifdef SHARED

  pthread_rwlock_rdlock(&list.lock);
#else
  pthread_rwlock_wrlock(&list.lock);
#endif
  int got = -1;
  if (list.len) {
    got = list.at[list.len - 1];
    list.at[list.len - 1] = 0;
    list.len--;
  }
  pthread_rwlock_unlock(&list.lock);
  return got;
}

static int last(void) {
  pthread_rwlock_rdlock(&list.lock);
  atomic_fetch_add(&list.lookups, 1);
  int got = list.len ? list.at[list.len - 1] : -1;
  pthread_rwlock_unlock(&list.lock);
  return got;
}

FL_OBJECT(list)
FL_OP(int, take)
FL_OP(int, last)
