#include <pthread.h>
static _Atomic int x;
static void *t(void *p) {
  (void)p;
  x++;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, t, 0);
  pthread_create(&b, 0, t, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x != 2;
}
