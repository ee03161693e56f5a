#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int x;
static void *t(void *p) {
  (void)p;
  x = x + 1;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, t, 0);
  pthread_create(&b, 0, t, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", x);
  assert(x == 2);
  return 0;
}
