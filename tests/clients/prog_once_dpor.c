/*
 * Who comes second to a pthread_once that is done has waited for nobody: all of
 * the second thread may run before the first.
 *
 * RUN: explore %s --search=dpor
 * EXIT: 1
 * FAULT: assert
 * RUN: explore %s
 * EXIT: 1
 * FAULT: assert
 */
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int x, y;

static void set(void) { y = 1; }

static void *first(void *arg) {
  int r = x;
  pthread_once(&once, set);
  x = 1;
  assert(r != 2);
  return arg;
}

static void *second(void *arg) {
  (void)x;
  pthread_once(&once, set);
  x = 2;
  return arg;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
