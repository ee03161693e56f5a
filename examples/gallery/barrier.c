/*
 * A barrier that is used again and again.  The last one to come begins a new
 * phase; the others wait until the phase has changed.  A whole program, since
 * a barrier is no object whose calls could come one after the other.
 *
 * Wrong: the last one empties the counter, and the others wait until they see
 * it empty.  Who is quick comes round again and counts itself before a slow one
 * has looked, which then waits for ever.
 *
 * RUN: explore %s
 * VERDICT: pass
 * RUN: explore %s -- -DWRONG
 * VERDICT: error
 * BLAME: empty
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 2, PHASES = 2 };

static atomic_int count;
#ifndef WRONG
static atomic_int phase;
#endif

static void barrier_wait(void) {
#ifdef WRONG
  if (atomic_fetch_add(&count, 1) == THREADS - 1)
    atomic_store(&count, 0);
  else
    while (atomic_load(&count) != 0) /* empty */
      ;
#else
  int mine = atomic_load(&phase);
  if (atomic_fetch_add(&count, 1) == THREADS - 1) {
    atomic_store(&count, 0);
    atomic_store(&phase, mine + 1);
  } else {
    while (atomic_load(&phase) == mine)
      ;
  }
#endif
}

static atomic_int at[THREADS]; /* the phase that each thread is in */

static void *work(void *arg) {
  int me = *(int *)arg, other = 1 - me;
  for (int p = 1; p <= PHASES; p++) {
    atomic_store(&at[me], p);
    barrier_wait();
    assert(atomic_load(&at[other]) >= p);
  }
  return NULL;
}

int main(void) {
  int names[THREADS] = {0, 1};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, &names[i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
