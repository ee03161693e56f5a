/*
 * A program that waits by sleeping in a loop; the stack that it shares is that
 * of main.
 *
 * RUN: explore %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void *worker(void *stop) {
  while (!atomic_load((atomic_int *)stop))
    usleep(1);
  return NULL;
}

int main(void) {
  atomic_int stop = 0;
  pthread_t t;
  pthread_create(&t, NULL, worker, &stop);
  atomic_store(&stop, 1);
  pthread_join(t, NULL);
  assert(stop == 1);
  return 0;
}
