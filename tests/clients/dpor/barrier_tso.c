/*
 * A barrier with store buffers: who leaves it could not have left before the
 * last one came.  A try of the semaphore may be first or second, and either
 * thread may come last to the barrier.
 *
 * RUN: explore %s --search=dpor --memory-model=tso \
 *   --client '{comes()} || {tries_and_comes()} || {tries()}'
 * OUTCOMES: 0,1,1 0,3,0 1,0,1 1,2,0
 * EXECUTIONS: 10
 * RUN: explore %s --search=dpor \
 *   --client '{comes()} || {tries_and_comes()} || {tries()}'
 * OUTCOMES: 0,1,1 0,3,0 1,0,1 1,2,0
 * EXECUTIONS: 10
 */
#include <faultline.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static pthread_barrier_t b;
static int x; /* an access with a hook */

static void set_up(void) {
  sem_init(&s, 0, 1);
  pthread_barrier_init(&b, NULL, 2);
}

static int tries(void) { return !sem_trywait(&s); }

static int comes(void) { return pthread_barrier_wait(&b) != 0; }

static int tries_and_comes(void) {
  int got = tries();
  return 2 * got + comes();
}

static int looks(void) { return x++; }

FL_OBJECT(barrier, set_up, NULL)
FL_OP(int, tries)
FL_OP(int, comes)
FL_OP(int, tries_and_comes)
FL_OP(int, looks)
