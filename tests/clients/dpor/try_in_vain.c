/*
 * A try that fails while its own thread has the lock, or the last unit of the
 * semaphore: who waited for it could not have gone on before the try either,
 * but before it was taken.  Both can be first.
 *
 * RUN: explore %s --search=dpor --client '{tries()} || {locks()}'
 * OUTCOMES: 10,0 0,0
 * RUN: explore %s --search=dfs --client '{tries()} || {locks()}'
 * OUTCOMES: 10,0 0,0
 * RUN: explore %s --search=dpor --client '{takes()} || {waits()}'
 * OUTCOMES: 10,0 0,0
 * RUN: explore %s --search=dfs --client '{takes()} || {waits()}'
 * OUTCOMES: 10,0 0,0
 */
#include <faultline.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int x; /* an access with a hook */

static void set_up(void) { sem_init(&s, 0, 1); }

static int tries(void) {
  int r = 0;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  if (!pthread_mutex_trylock(&n)) {
    r = pthread_mutex_trylock(&n) ? 10 : 11;
    pthread_mutex_unlock(&n);
  }
  return r;
}

static int locks(void) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return 0;
}

static int takes(void) {
  int r = 0;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  if (!sem_trywait(&s)) {
    r = sem_trywait(&s) ? 10 : 11;
    sem_post(&s);
  }
  return r;
}

static int waits(void) {
  pthread_mutex_lock(&m);
  x++;
  while (sem_wait(&s))
    ;
  sem_post(&s);
  pthread_mutex_unlock(&m);
  return 0;
}

FL_OBJECT(vain, set_up, NULL)
FL_OP(int, tries)
FL_OP(int, locks)
FL_OP(int, takes)
FL_OP(int, waits)
