/*
 * Double-checked locking: a table that the first user makes.  The pointer is
 * published when the table is complete.
 *
 * Wrong: the pointer is published, then the table is filled in.  Whoever comes
 * in between skips the lock and uses a table that is empty.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --memory-model=tso
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: publish
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 3 };

struct table {
  int squares[SIZE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) table;

static void fill(struct table *t) {
  for (int i = 0; i < SIZE; i++)
    t->squares[i] = i * i;
}

static struct table *get_table(void) {
  struct table *t = atomic_load_explicit(&table, memory_order_acquire);
  if (t)
    return t;
  pthread_mutex_lock(&lock);
  t = atomic_load_explicit(&table, memory_order_relaxed);
  if (!t) {
    t = calloc(1, sizeof *t);
#ifdef WRONG
    atomic_store_explicit(&table, t, memory_order_release); /* publish */
    fill(t);
#else
    fill(t);
    atomic_store_explicit(&table, t, memory_order_release);
#endif
  }
  pthread_mutex_unlock(&lock);
  return t;
}

static int square(int n) { return get_table()->squares[n]; }

static void reset(void) { free(atomic_load(&table)); }
static void nothing(void) {}

FL_OBJECT(table, nothing, reset)
FL_OP(int, square, FL_INT(1, 2))
