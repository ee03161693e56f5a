/*
 * Recursive and error-checking mutexes, trylock, and spinlocks of POSIX.
 *
 * RUN: %s --client '{recursive()} || {recursive()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s --client '{relock()}'
 * EXIT: 0
 * OUTCOMES: 35
 * RUN: %s --client '{spin()} || {spin()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s --client '{try()} || {try()}'
 * OUTCOMES: 0,1 1,0 1,1
 */
#include <faultline.h>
#include <pthread.h>

static pthread_mutex_t recursive_lock;
static pthread_mutex_t checked_lock;
static pthread_mutex_t plain_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin_lock;
static int counter;

static void create(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive_lock, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked_lock, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
}

static int recursive(void) {
  pthread_mutex_lock(&recursive_lock);
  pthread_mutex_lock(&recursive_lock);
  int before = counter++;
  pthread_mutex_unlock(&recursive_lock);
  pthread_mutex_unlock(&recursive_lock);
  return before;
}

/* 35 is EDEADLK. */
static int relock(void) {
  pthread_mutex_lock(&checked_lock);
  int error = pthread_mutex_lock(&checked_lock);
  pthread_mutex_unlock(&checked_lock);
  return error;
}

static int spin(void) {
  pthread_spin_lock(&spin_lock);
  int before = counter++;
  pthread_spin_unlock(&spin_lock);
  return before;
}

static int try(void) {
  if (pthread_mutex_trylock(&plain_lock) != 0)
    return 0;
  counter++;
  pthread_mutex_unlock(&plain_lock);
  return 1;
}

FL_OBJECT(locks, create)
FL_OP(int, recursive)
FL_OP(int, relock)
FL_OP(int, spin)
FL_OP(int, try)
