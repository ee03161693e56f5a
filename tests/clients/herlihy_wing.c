/*
 * The queue of Herlihy and Wing (TOPLAS 1990): dequeue() goes round the items
 * until it finds one, so on an empty queue it waits.  Planted: the item is read
 * and cleared in two steps; it is looked for from the second place on; the place
 * is taken and counted in two steps.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DBUG=1
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s -- -DBUG=2
 * EXIT: 1
 * RUN: %s -- -DBUG=3
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

enum { CAPACITY = 16 };

struct queue {
  atomic_int back;
  atomic_int item[CAPACITY]; /* 0: none, or not yet */
};

static struct queue *queue_new(void) { return calloc(1, sizeof(struct queue)); }
static void queue_free(struct queue *q) { free(q); }

static void enqueue(struct queue *q, int v) {
#if BUG == 3
  int at = atomic_load(&q->back);
  atomic_store(&q->back, at + 1);
#else
  int at = atomic_fetch_add(&q->back, 1);
#endif
  atomic_store(&q->item[at], v);
}

static int take(struct queue *q, int at) {
#if BUG == 1
  int v = atomic_load(&q->item[at]);
  if (v)
    atomic_store(&q->item[at], 0);
  return v;
#else
  return atomic_exchange(&q->item[at], 0);
#endif
}

static int dequeue(struct queue *q) {
  for (;;) {
    int range = atomic_load(&q->back);
    for (int i = BUG == 2 ? range - 1 : 0; i >= 0 && i < range;
         i += BUG == 2 ? -1 : 1) {
      int v = take(q, i);
      if (v)
        return v;
    }
  }
}

FL_OBJECT(queue, queue_new, queue_free)
FL_OP(void, enqueue, FL_DATA(1, 3))
FL_OP(int, dequeue, FL_BLOCKING)
FL_SPEC(queue, enqueue = enqueue, dequeue = dequeue)
