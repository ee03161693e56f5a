/* A counter with a lock; -DNO_LOCK leaves the lock out. */
#include "counter.h"

#include <pthread.h>
#include <stdlib.h>

struct counter {
  pthread_mutex_t lock;
  int value;
};

struct counter *counter_new(void) {
  struct counter *c = calloc(1, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
  return c;
}

void counter_free(struct counter *c) {
  pthread_mutex_destroy(&c->lock);
  free(c);
}

int counter_next(struct counter *c) {
#ifdef NO_LOCK
  return ++c->value;
#else
  pthread_mutex_lock(&c->lock);
  int next = ++c->value;
  pthread_mutex_unlock(&c->lock);
  return next;
#endif
}
