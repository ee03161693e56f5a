/*
 * ck_spinlock of Concurrency Kit (0.7.1), by xchg and pause in inline
 * assembly.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libck-dev
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <ck_spinlock.h>
#include <stdlib.h>

struct counter {
  ck_spinlock_fas_t lock;
  int n;
};
static struct counter *make(void) {
  struct counter *c = calloc(1, sizeof *c);
  ck_spinlock_fas_init(&c->lock);
  return c;
}
static void drop(struct counter *c) { free(c); }
static int next(struct counter *c) {
  ck_spinlock_fas_lock(&c->lock);
  int n = c->n++;
  ck_spinlock_fas_unlock(&c->lock);
  return n;
}

FL_OBJECT(counter, make, drop)
FL_OP(int, next)
