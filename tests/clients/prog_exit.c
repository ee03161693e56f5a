/*
 * A whole program that ends with a status other than zero when an update was
 * lost.
 *
 * RUN: explore %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: exit
 */
#include <pthread.h>

static int x;

static void *increment(void *unused) {
  x = x + 1;
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, increment, NULL);
  increment(NULL);
  pthread_join(t, NULL);
  return x == 2 ? 0 : 1;
}
