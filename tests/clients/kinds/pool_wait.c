/*
 * A pool whose takers wait, and what can be wrong with the waiting; each has
 * its own name.  The last is no lost wake-up: somebody takes for good.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -v -- -DFORGETS
 * FAULT: deadlock
 * KIND: lost-wakeup
 * OUTPUT: take\(\) sleeps for ever: give\(\) changes pool.free at line 68 and \
 *     does not signal
 * OUTPUT: with a wake-up after each change of pool.free, this client passes
 * OUTPUT: Fix: Add pthread_cond_signal\(&pool.given\) after line 68 in give\(\) \
 *     \(tried: compiled and searched, no fault
 * RUN: %s -- -DLOOKS_OUTSIDE
 * FAULT: deadlock
 * KIND: lost-wakeup
 * OUTPUT: changes pool.free at line 68 and signals at line 70 between its \
 *     look at line 47 and its wait
 * RUN: %s -- -DGIVES_OUTSIDE
 * KIND: lost-wakeup
 * OUTPUT: Fix: Take pthread_mutex_lock\(&pool.lock\) around lines 68-70 in \
 *     give\(\) \(tried:
 * RUN: %s -- -DIF
 * KIND: wait-without-loop
 * OUTPUT: take\(\) does not look again after its wait
 * OUTPUT: Fix: Write while for if at line 44 in take\(\) \(tried:
 * RUN: %s -- -DKEEPS
 * FAULT: deadlock
 * KIND: none
 */
#include <faultline.h>
#include <pthread.h>

static struct {
  pthread_mutex_t lock;
  pthread_cond_t given;
  int free;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1};

static int take(void) {
  pthread_mutex_lock(&pool.lock);
#ifdef IF
  if (pool.free == 0)
    pthread_cond_wait(&pool.given, &pool.lock);
#elif defined LOOKS_OUTSIDE
  int was = pool.free;
  pthread_mutex_unlock(&pool.lock);
  pthread_mutex_lock(&pool.lock);
  if (was == 0)
    pthread_cond_wait(&pool.given, &pool.lock);
#else
  while (pool.free == 0)
    pthread_cond_wait(&pool.given, &pool.lock);
#endif
  int left = __atomic_sub_fetch(&pool.free, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&pool.lock);
  return left;
}

static void give(void) {
#ifdef KEEPS
  return;
#endif
#ifndef GIVES_OUTSIDE
  pthread_mutex_lock(&pool.lock);
#endif
  __atomic_fetch_add(&pool.free, 1, __ATOMIC_SEQ_CST);
#ifndef FORGETS
  pthread_cond_signal(&pool.given);
#endif
#ifndef GIVES_OUTSIDE
  pthread_mutex_unlock(&pool.lock);
#endif
}

static int use(void) {
  int left = take();
  give();
  return left;
}

FL_OBJECT(pool)
FL_OP(int, use)
