/*
 * A whole program whose assert fails only when both threads read before
 * either writes.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: assert
 * LINE: race
 */
#include <assert.h>
#include <pthread.h>

static int x;

static void *increment(void *unused) {
  x = x + 1; /* race */
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(x == 2);
  return 0;
}
