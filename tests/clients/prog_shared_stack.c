/*
 * A variable on main's stack, whose address another thread has, is shared
 * memory: the increments race there as anywhere.
 *
 * RUN: explore %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: assert
 * LINE: race
 */
#include <assert.h>
#include <pthread.h>

static void *increment(void *arg) {
  int *p = arg;
  *p = *p + 1; /* race */
  return NULL;
}

int main(void) {
  int x = 0;
  pthread_t t[2];
  pthread_create(&t[0], NULL, increment, &x);
  pthread_create(&t[1], NULL, increment, &x);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  assert(x == 2);
  return 0;
}
