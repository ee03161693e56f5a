/*
 * A whole program without a fault.
 *
 * RUN: explore %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *increment(void *unused) {
  pthread_mutex_lock(&lock);
  x = x + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(x == 2);
  printf("%d\n", x);
  return 0;
}
