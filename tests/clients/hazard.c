/*
 * FL_THREAD: each thread has a hazard pointer.  A reader publishes what it is
 * about to read and looks again; a writer frees an old block only if no reader
 * has published it.  Without the second look (-DONCE): use after free.
 *
 * RUN: %s --client '{get()} || {set(2)}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'get(); {get()} || {set(2); get()}; get()'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{get()} || {set(2)}' -- -DONCE
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-free
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 8 };

struct hazard {
  _Atomic(int *) pointer;
};

struct cell {
  _Atomic(int *) now;
  atomic_int threads;
  struct hazard hazards[THREADS];
};

static int *number(int v) {
  int *p = malloc(sizeof *p);
  *p = v;
  return p;
}

static struct cell *cell_new(void) {
  struct cell *c = calloc(1, sizeof *c);
  atomic_store(&c->now, number(1));
  return c;
}

static void *enter(struct cell *c) {
  return &c->hazards[atomic_fetch_add(&c->threads, 1) % THREADS];
}

static void leave(struct cell *c, void *mine) {
  struct hazard *h = mine;
  (void)c;
  atomic_store(&h->pointer, NULL);
}

static int get(struct cell *c) {
  struct hazard *mine = fl_thread();
  int *p = atomic_load(&c->now);
  for (;;) {
    atomic_store(&mine->pointer, p);
#ifdef ONCE
    break;
#endif
    int *again = atomic_load(&c->now);
    if (again == p)
      break;
    p = again;
  }
  int v = *p;
  atomic_store(&mine->pointer, NULL);
  return v;
}

static void set(struct cell *c, int v) {
  int *old = atomic_exchange(&c->now, number(v));
  for (int i = 0; i < THREADS; i++)
    if (atomic_load(&c->hazards[i].pointer) == old)
      return; /* somebody reads it: it is left alone for ever */
  free(old);
}

FL_OBJECT(cell, cell_new, free)
FL_OP(int, get)
FL_OP(void, set, FL_INT(1, 2))
FL_THREAD(enter, leave)
