/*
 * Vyukov's bounded queue as everybody copies it: put() says "full" while a
 * get() has not freed its cell yet, and get() says "empty" while a put() has
 * not filled it.  FL_MAY_FAIL allows both, for the object as its own
 * specification and for a built-in type, and faults are still found: LOST takes
 * a cell without competing, TWICE hands one out so, and SWAPPED passes a cell
 * that is not filled yet.
 *
 * CC: gcc
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * RUN: test %s
 * VERDICT: pass
 * RUN: test %s --max-executions 20000 -- -DSPEC
 * VERDICT: pass
 * RUN: explore %s --search=dpor --client '{put(1)} || {put(2); get()}; get()'
 * VERDICT: pass
 * RUN: test %s -- -DLOST
 * VERDICT: violation
 * RUN: test %s -- -DTWICE
 * VERDICT: violation
 * RUN: test %s -- -DSWAPPED
 * VERDICT: violation
 * RUN: test %s -- -DSPEC -DSWAPPED
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE = 2, EMPTY = -1, PASSED = 1000 };

struct cell {
  atomic_uint turn; /* p: free for put p; p + 1: filled by put p */
  int value;
};

struct ring {
  atomic_uint tail, head;
  struct cell cells[SIZE];
};

static struct ring *ring_new(void) {
  struct ring *r = calloc(1, sizeof *r);
  for (unsigned i = 0; i < SIZE; i++)
    atomic_init(&r->cells[i].turn, i);
  return r;
}

static bool claim(atomic_uint *index, unsigned at, bool compete) {
  if (compete)
    return atomic_compare_exchange_strong(index, &at, at + 1);
  atomic_store(index, at + 1);
  return true;
}

static bool put(struct ring *r, int value) {
  bool compete = true;
#ifdef LOST
  compete = false;
#endif
  for (;;) {
    unsigned at = atomic_load(&r->tail);
    struct cell *c = &r->cells[at % SIZE];
    int ahead = (int)(atomic_load(&c->turn) - at);
    if (ahead < 0)
      return false;
    if (ahead == 0 && claim(&r->tail, at, compete)) {
      c->value = value;
      atomic_store(&c->turn, at + 1);
      return true;
    }
  }
}

static int get(struct ring *r) {
  bool compete = true;
#ifdef TWICE
  compete = false;
#endif
  for (;;) {
    unsigned at = atomic_load(&r->head);
    struct cell *c = &r->cells[at % SIZE];
    unsigned turn = atomic_load(&c->turn);
    if (turn == at + 1 && claim(&r->head, at, compete)) {
      int value = c->value;
      atomic_store(&c->turn, at + SIZE);
      return value;
    }
#ifdef SWAPPED
    struct cell *other = &r->cells[(at + 1) % SIZE];
    unsigned filled = at + 2;
    if (turn == at + 1 + PASSED && claim(&r->head, at, true)) {
      atomic_store(&c->turn, at + SIZE);
      continue;
    }
    if (turn == at) {
      int value = other->value;
      if (atomic_compare_exchange_strong(&other->turn, &filled,
                                         filled + PASSED))
        return value;
    }
#endif
    if ((int)(turn - (at + 1)) < 0)
      return EMPTY;
  }
}

FL_OBJECT(ring, ring_new, free)
#ifdef STRICT
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get)
#else
FL_OP(bool, put, FL_DATA(1, 3), FL_MAY_FAIL(false))
FL_OP(int, get, FL_MAY_FAIL(EMPTY))
#endif
#ifdef SPEC
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1, capacity = 2)
#endif
