/*
 * A counter behind a semaphore, and a semaphore that operations wait for.
 *
 * RUN: %s --client '{increment()} || {increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{acquire()} || {acquire()} || {release()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <semaphore.h>

static sem_t mutex;
static sem_t items;
static int counter;

static void create(void) {
  sem_init(&mutex, 0, 1);
  sem_init(&items, 0, 0);
}

static int increment(void) {
  sem_wait(&mutex);
  int before = counter++;
  sem_post(&mutex);
  return before;
}

static void acquire(void) { sem_wait(&items); }

static void release(void) { sem_post(&items); }

FL_OBJECT(semaphore, create)
FL_OP(int, increment)
FL_OP(void, acquire, FL_BLOCKING)
FL_OP(void, release)
