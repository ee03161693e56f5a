/*
 * A bounded ring between one producer and one consumer, as audio drivers and
 * loggers have: each side writes only its own index.
 *
 * Wrong: put() moves the index before it fills the cell, as happens when the
 * two lines are "tidied up".  The consumer takes a cell that is not filled.
 *
 * On x86 a put() may return while its stores still wait in the store buffer, so
 * that "empty" and "full" can be out of date.  Rings live with that;
 * --memory-model=tso reports it.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: publish
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE = 2, EMPTY = -1 };

struct ring {
  atomic_uint head; /* next to get; written by the consumer */
  atomic_uint tail; /* next to put; written by the producer */
  int cells[SIZE];
};

static struct ring *ring_new(void) { return calloc(1, sizeof(struct ring)); }

static bool put(struct ring *r, int value) {
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  unsigned head = atomic_load_explicit(&r->head, memory_order_acquire);
  if (tail - head == SIZE)
    return false;
#ifdef WRONG
  atomic_store_explicit(&r->tail, tail + 1, memory_order_release); /* publish */
  r->cells[tail % SIZE] = value;
#else
  r->cells[tail % SIZE] = value;
  atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
#endif
  return true;
}

static int get(struct ring *r) {
  unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);
  if (head == tail)
    return EMPTY;
  int value = r->cells[head % SIZE];
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  return value;
}

FL_OBJECT(ring, ring_new, free)
FL_OP(bool, put, FL_DATA(1, 3), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
