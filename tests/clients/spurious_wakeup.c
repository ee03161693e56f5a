/*
 * Waits that end without a reason: of a condition variable, of a futex, of a
 * semaphore.  With one producer and one consumer nothing else ends a wait too
 * early.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --spurious-wakeups=all
 * VERDICT: pass
 * RUN: %s --search=dpor --client '{put(1)} || {get()}'
 * VERDICT: pass
 * RUN: %s -- -DIF
 * VERDICT: violation
 * KIND: wait-without-loop
 * OUTPUT: get\(\) does not look again after its wait: full = 0 still after a \
 *     spurious wake-up \(while instead of if, line 72\)
 * OUTPUT: spurious wake-up c
 * RUN: %s --search=dfs --client '{put(1)} || {get()}' -- -DIF
 * VERDICT: violation
 * RUN: %s --search=dpor --client '{put(1)} || {get()}' -- -DIF
 * VERDICT: violation
 * RUN: %s --search=random --client '{put(1)} || {get()}' -- -DIF
 * VERDICT: violation
 * RUN: %s --search=pct --client '{put(1)} || {get()}' -- -DIF
 * VERDICT: violation
 * RUN: %s --spurious-wakeups=off -- -DIF
 * VERDICT: pass
 * RUN: %s --spurious-wakeups=off -- -DTWICE
 * VERDICT: pass
 * RUN: %s -- -DTWICE
 * VERDICT: pass
 * RUN: %s --spurious-wakeups=all -- -DTWICE
 * VERDICT: violation
 * RUN: %s --client '{put(1)} || {get()}' -- -DFUTEX
 * VERDICT: pass
 * RUN: %s --client '{put(1)} || {get()}' -- -DFUTEX -DIF
 * VERDICT: violation
 * KIND: wait-without-loop
 * OUTPUT: get\(\) does not wait again after a spurious wake-up: the futex wait
 * RUN: %s --client '{put(1)} || {get()}' -- -DFUTEX -DZERO
 * VERDICT: violation
 * KIND: wait-without-loop
 * OUTPUT: get\(\) does not wait again after a signal has interrupted its wait
 */
#include <errno.h>
#include <faultline.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef FUTEX
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full, slot;

static void put(int v) {
  pthread_mutex_lock(&m);
  slot = v;
  full = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}
/* One place in the code, however the loop is compiled. */
static __attribute__((noinline)) void sleep_here(void) {
  pthread_cond_wait(&c, &m);
}
static int get(void) {
  pthread_mutex_lock(&m);
#ifdef IF
  if (!full)
    sleep_here();
#elif defined TWICE
  for (int i = 0; !full && i < 2; i++) /* gives up too early */
    sleep_here();
#else
  while (!full)
    sleep_here();
#endif
  int v = slot;
  full = 0;
  slot = -1;
  pthread_mutex_unlock(&m);
  return v;
}
#else
static atomic_uint full;
static int slot;

static void put(int v) {
  slot = v;
  atomic_store(&full, 1);
  syscall(SYS_futex, &full, FUTEX_WAKE, 1, NULL, NULL, 0);
}
static int get(void) {
#ifdef IF
  if (!atomic_load(&full))
    syscall(SYS_futex, &full, FUTEX_WAIT, 0, NULL, NULL, 0);
#elif defined ZERO /* any other answer than success is taken for a value */
  while (!atomic_load(&full))
    if (syscall(SYS_futex, &full, FUTEX_WAIT, 0, NULL, NULL, 0))
      break;
#else
  while (!atomic_load(&full))
    syscall(SYS_futex, &full, FUTEX_WAIT, 0, NULL, NULL, 0);
#endif
  int v = slot;
  atomic_store(&full, 0);
  return v;
}
#endif

FL_OBJECT(box)
FL_OP(void, put, FL_INT(1, 2), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"), FL_BLOCKING)
