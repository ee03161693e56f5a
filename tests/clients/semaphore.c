/*
 * A counter behind a semaphore, and a semaphore that operations wait for.  A
 * wait that a signal interrupts is made again.
 *
 * RUN: %s --client '{increment()} || {increment()} || {increment()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{acquire()} || {acquire()} || {release()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{increment()} || {increment()}' -- -DONCE
 * VERDICT: violation
 * KIND: wait-without-loop
 * OUTPUT: increment\(\) does not wait again after a signal has interrupted
 * RUN: %s --spurious-wakeups=off -- -DONCE
 * VERDICT: pass
 * RUN: %s --memory-model=tso --client '{increment()} || {increment()}'
 * VERDICT: pass
 */
#include <errno.h>
#include <faultline.h>
#include <semaphore.h>

static sem_t mutex;
static sem_t items;
static int counter;

static void create(void) {
  sem_init(&mutex, 0, 1);
  sem_init(&items, 0, 0);
}

static void wait(sem_t *s) {
#ifdef ONCE
  sem_wait(s);
#else
  while (sem_wait(s) == -1 && errno == EINTR)
    ;
#endif
}

static int increment(void) {
  wait(&mutex);
  int before = counter++;
  sem_post(&mutex);
  return before;
}

static void acquire(void) { wait(&items); }

static void release(void) { sem_post(&items); }

FL_OBJECT(semaphore, create)
FL_OP(int, increment)
FL_OP(void, acquire, FL_BLOCKING)
FL_OP(void, release)
