/*
 * Vyukov's bounded queue for many producers and consumers: a ticket for each
 * put and get, and in each cell a number that says whose turn it is.
 *
 * Wrong: the version that everybody copies.  A consumer that finds its cell not
 * yet filled says "empty", although a later producer may be done with the cell
 * behind it.  That may be good enough for you, but a get() that comes after a
 * finished put() and finds nothing surprises who waits for the last item.  The
 * right one says empty only when no put has begun.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: claim
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE = 2, EMPTY = -1 };

struct cell {
  atomic_uint turn; /* p: free for put p; p + 1: filled by put p */
  int value;
};

struct ring {
  atomic_uint tail; /* puts that have begun */
  atomic_uint head; /* gets that have begun */
  struct cell cells[SIZE];
};

static struct ring *ring_new(void) {
  struct ring *r = calloc(1, sizeof *r);
  for (unsigned i = 0; i < SIZE; i++)
    atomic_init(&r->cells[i].turn, i);
  return r;
}

static bool put(struct ring *r, int value) {
  for (;;) {
    unsigned at = atomic_load(&r->tail);
    struct cell *c = &r->cells[at % SIZE];
    int ahead = (int)(atomic_load(&c->turn) - at);
    if (ahead == 0 &&
        atomic_compare_exchange_weak(&r->tail, &at, at + 1)) { /* claim */
      c->value = value;
      atomic_store(&c->turn, at + 1);
      return true;
    }
#ifdef WRONG
    if (ahead < 0)
      return false;
#else
    if (ahead < 0 && atomic_load(&r->head) == at - SIZE)
      return false;
#endif
  }
}

static int get(struct ring *r) {
  for (;;) {
    unsigned at = atomic_load(&r->head);
    struct cell *c = &r->cells[at % SIZE];
    int ahead = (int)(atomic_load(&c->turn) - (at + 1));
    if (ahead == 0 && atomic_compare_exchange_weak(&r->head, &at, at + 1)) {
      int value = c->value;
      atomic_store(&c->turn, at + SIZE);
      return value;
    }
#ifdef WRONG
    if (ahead < 0)
      return EMPTY;
#else
    if (ahead < 0 && atomic_load(&r->tail) == at)
      return EMPTY;
#endif
  }
}

FL_OBJECT(ring, ring_new, free)
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get)
