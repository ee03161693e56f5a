/*
 * A table that is made when it is first asked for.  Published before it is
 * filled in; and published in the right order, but without a second look: that
 * is another fault.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DEARLY
 * KIND: early-publication
 * OUTPUT: get\(\) publishes table#1 at line 43 before it writes \
 *     table#1.(a|b) at line 4[45]
 * RUN: %s -- -DNO_SECOND_LOOK
 * KIND: check-then-act
 * OUTPUT: get\(\) checks table at line 33 and acts on it at line 49
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table {
  int a, b;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) table;

static struct table *get(void) {
  /* a first look without the lock */

  struct table *t;

  t = atomic_load(&table);
  if (t)
    return t;
  pthread_mutex_lock(&lock);
#ifndef NO_SECOND_LOOK
  t = atomic_load(&table);
#endif
  if (!t) {
    t = malloc(sizeof *t);
#ifdef EARLY
    atomic_store(&table, t);
    t->a = 1;
    t->b = 2;
#else
    t->a = 1;
    t->b = 2;
    atomic_store(&table, t);
#endif
  }
  pthread_mutex_unlock(&lock);
  return t;
}

static int sum(void) {
  struct table *t = get();
  return t->a + t->b;
}

static struct table *which(void) { return get(); }

FL_OBJECT(table)
FL_OP(int, sum)
FL_OP(struct table *, which)
