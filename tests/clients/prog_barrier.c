/*
 * A whole program: what was written before a barrier is there behind it, and
 * one of the threads is told that it is the serial one.
 *
 * RUN: explore %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int x[2];
static atomic_int serial;

static void *run(void *arg) {
  int me = arg != NULL;
  x[me] = 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    atomic_fetch_add(&serial, 1);
  assert(x[!me] == 1);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&t[0], NULL, run, NULL);
  pthread_create(&t[1], NULL, run, x);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  assert(atomic_load(&serial) == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}
