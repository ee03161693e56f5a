/*
 * A program that waits for a flag in a loop: the search ends, and what was
 * written before the flag is there.
 *
 * RUN: explore %s --search=dfs
 * EXIT: 0
 * VERDICT: pass
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *produce(void *unused) {
  data = 42;
  atomic_store(&ready, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, produce, NULL);
  while (!atomic_load(&ready))
    ;
  assert(data == 42);
  pthread_join(t, NULL);
  return 0;
}
