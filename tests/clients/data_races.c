/*
 * Data races: everything that orders two accesses does, and what does not is
 * named.  Each object hands `value` from one thread to another; with BROKEN the
 * half of the handing over is missing.
 *
 * CC: gcc
 * OPT: -O1
 * RUN: %s --races=only --max-executions 2000
 * EXIT: 0
 * VERDICT: pass pass pass pass pass pass pass pass
 * RUN: %s --races=report --object=readers --max-executions 2000 -- -DBROKEN
 * EXIT: 1
 * FAULT: data-race
 * RUN: %s --races=report --object=locked --max-executions 2000
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --races=only --object=fences -- -DBROKEN
 * EXIT: 1
 * FAULT: data-race
 * OUTPUT: data race on value
 * LINE: written
 * RUN: %s --races=only --object=relaxed -- -DBROKEN
 * EXIT: 1
 * FAULT: data-race
 * OUTPUT: with memory_order_release here
 * OUTPUT: memory_order_acquire at line
 * RUN: %s --races=only --object=once -- -DBROKEN
 * EXIT: 1
 * FAULT: data-race
 * RUN: %s --races=only --object=readers -- -DBROKEN
 * EXIT: 1
 * FAULT: data-race
 * RUN: %s --races=ignore --object=readers --max-executions 2000 -- -DBROKEN
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef BROKEN
#define RELEASE memory_order_relaxed
enum { broken = true };
#else
#define RELEASE memory_order_release
enum { broken = false };
#endif

static int value;

/* ---- a release store and an acquire load ---- */

static atomic_int ready;
static void relaxed_put(void) {
  int none = 0;
  static atomic_int taken;
  if (!atomic_compare_exchange_strong(&taken, &none, 1))
    return;
  value = 1;
  atomic_store_explicit(&ready, 1, RELEASE);
}
static int relaxed_get(void) {
  if (!atomic_load_explicit(&ready, memory_order_acquire))
    return 0;
  return value;
}
FL_OBJECT(relaxed)
FL_OP(void, relaxed_put)
FL_OP(int, relaxed_get)

/* ---- fences ---- */

static atomic_int flag, first;
static void fences_put(void) {
  if (atomic_exchange(&first, 1))
    return;
  value = 1; /* written */
  if (!broken)
    atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
static int fences_get(void) {
  if (!atomic_load_explicit(&flag, memory_order_relaxed))
    return 0;
  atomic_thread_fence(memory_order_acquire);
  return value;
}
FL_OBJECT(fences)
FL_OP(void, fences_put)
FL_OP(int, fences_get)

/* ---- a mutex, and a condition variable ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static void mutex_put(void) {
  pthread_mutex_lock(&mutex);
  value++;
  pthread_cond_signal(&full);
  pthread_mutex_unlock(&mutex);
}
static int mutex_get(void) {
  pthread_mutex_lock(&mutex);
  while (!value)
    pthread_cond_wait(&full, &mutex);
  int got = value--;
  pthread_mutex_unlock(&mutex);
  return got > 0;
}
FL_OBJECT(locked)
FL_OP(void, mutex_put)
FL_OP(int, mutex_get, FL_BLOCKING)

/* ---- a reader-writer lock: readers do not order readers ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void readers_put(void) {
  if (broken)
    pthread_rwlock_rdlock(&rwlock);
  else
    pthread_rwlock_wrlock(&rwlock);
  value = 1;
  pthread_rwlock_unlock(&rwlock);
}
static int readers_get(void) {
  pthread_rwlock_rdlock(&rwlock);
  int got = value;
  pthread_rwlock_unlock(&rwlock);
  return got;
}
FL_OBJECT(readers)
FL_OP(void, readers_put)
FL_OP(int, readers_get)

/* ---- a semaphore ---- */

static sem_t sem; /* of value 0 */
static void sem_put(void) {
  static atomic_int taken;
  if (atomic_exchange(&taken, 1))
    return;
  value = 1;
  sem_post(&sem);
}
static int sem_get(void) {
  if (sem_trywait(&sem))
    return 0;
  int got = value;
  sem_post(&sem);
  return got;
}
FL_OBJECT(semaphore)
FL_OP(void, sem_put)
FL_OP(int, sem_get)

/* ---- once ---- */

static pthread_once_t control = PTHREAD_ONCE_INIT;
static void begin(void) { value = 7; }
static int once_get(void) {
  if (!broken || value == 0)
    pthread_once(&control, begin);
  return value;
}
FL_OBJECT(once)
FL_OP(int, once_get)

/* ---- a thread that is created and joined ---- */

static void *add(void *to) {
  ++*(int *)to;
  return NULL;
}
static int thread_get(void) {
  pthread_t t;
  int *n = &(int){1};
  pthread_create(&t, NULL, add, n);
  pthread_join(t, NULL);
  return *n;
}
FL_OBJECT(threads)
FL_OP(int, thread_get)

/* ---- a lock by compare-and-swap ---- */

static atomic_int spin;
static int spin_next(void) {
  int none = 0;
  while (!atomic_compare_exchange_weak_explicit(
      &spin, &none, 1, memory_order_acquire, memory_order_relaxed))
    none = 0;
  int next = ++value;
  atomic_store_explicit(&spin, 0, RELEASE);
  return next;
}
FL_OBJECT(spinlock)
FL_OP(int, spin_next)
