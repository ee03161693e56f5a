/*
 * A shared configuration with a reference count: replace() puts a new one in
 * its place, and the last user frees the old one.
 *
 * Wrong: a user loads the pointer and then counts itself, without the lock.  In
 * between the last reference can go.  An atomic counter does not help: it is in
 * the block that is freed.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: use-after-free
 * BLAME: count
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
  atomic_int references;
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) current;

static struct config *config_new(int value) {
  struct config *c = malloc(sizeof *c);
  atomic_init(&c->references, 1); /* that of `current` */
  c->value = value;
  return c;
}

static struct config *config_get(void) {
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  struct config *c = atomic_load(&current);
  atomic_fetch_add(&c->references, 1); /* count */
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  return c;
}

static void config_put(struct config *c) {
  if (atomic_fetch_sub(&c->references, 1) == 1)
    free(c);
}

static void start(void) { atomic_store(&current, config_new(0)); }
static void stop(void) { config_put(atomic_load(&current)); }

static void replace(int value) {
  struct config *fresh = config_new(value);
  pthread_mutex_lock(&lock);
  struct config *old = atomic_exchange(&current, fresh);
  pthread_mutex_unlock(&lock);
  config_put(old);
}

static int read_value(void) {
  struct config *c = config_get();
  int value = c->value;
  config_put(c);
  return value;
}

FL_OBJECT(config, start, stop)
FL_OP(void, replace, FL_DATA(1, 3))
FL_OP(int, read_value)
