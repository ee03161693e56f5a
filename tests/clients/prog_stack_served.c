/*
 * A variable on the stack is used by another thread until its owner was told
 * that it will not be any more; or, with -DBAD, until a little later.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s
 * EXIT: 0
 * RUN: explore %s --search=dpor
 * EXIT: 0
 * RUN: explore %s -- -DBAD
 * EXIT: 1
 * FAULT: use-after-return
 * LINE: late
 * RUN: explore %s --search=dpor -- -DBAD
 * EXIT: 1
 * FAULT: use-after-return
 */
#include <pthread.h>
#include <stdatomic.h>

struct request {
  volatile int value;
  atomic_int done;
};
static _Atomic(struct request *) asked;
static volatile int x;

static void *serve(void *arg) {
  struct request *r;
  while (!(r = asked))
    ;
  r->value = 2;
  r->done = 1;
#ifdef BAD
  r->value = 3; /* late */
#endif
  return arg;
}

static __attribute__((noinline)) int ask(void) {
  struct request r = {1, 0};
  asked = &r;
  while (!r.done)
    ;
  return r.value;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, serve, 0);
  x = ask();
  x++;
  pthread_join(t, 0);
  return 0;
}
