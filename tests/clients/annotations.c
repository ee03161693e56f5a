/*
 * Annotations for ThreadSanitizer: they link, they make no step, and a trace
 * has them.
 *
 * RUN: explore %s --search=dfs --client '{next()} || {next()}'
 * EXECUTIONS: 2
 * OUTCOMES: 0,1 1,0
 * RUN: %s -- -DRACE
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: release n
 * OUTPUT: acquire n
 */
#include <faultline.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long,
                             const char *);

static int n;

static int next(void) {
  __tsan_acquire(&n);
#ifdef RACE
  int r = n;
  AnnotateHappensAfter(__FILE__, __LINE__, &n);
  n = r + 1;
  AnnotateHappensBefore(__FILE__, __LINE__, &n);
#else
  static char lock;
  __tsan_mutex_create(&lock, 0);
  AnnotateBenignRaceSized(__FILE__, __LINE__, &n, sizeof n, "none");
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  int r = __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
#endif
  __tsan_release(&n);
  return r;
}

FL_OBJECT(counter)
FL_OP(int, next)
