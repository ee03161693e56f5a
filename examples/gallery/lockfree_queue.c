/*
 * The lock-free queue of Michael and Scott (PODC 1996): link the node behind
 * the last one, then move the tail; whoever finds the tail lagging helps.
 * Nodes stay until the queue goes.
 *
 * Wrong: the link is made by a store, since "next was NULL a line ago".  Two
 * producers link behind the same node, and one of the values is gone.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: link
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1 };

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct queue {
  _Atomic(struct node *) head, tail;
};

static struct queue *queue_new(void) {
  struct queue *q = malloc(sizeof *q);
  struct node *dummy = calloc(1, sizeof *dummy);
  atomic_init(&q->head, dummy);
  atomic_init(&q->tail, dummy);
  return q;
}

static void put(struct queue *q, int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, NULL);
  for (;;) {
    struct node *last = atomic_load(&q->tail);
    struct node *next = atomic_load(&last->next);
    if (next) {
      atomic_compare_exchange_strong(&q->tail, &last, next);
      continue;
    }
#ifdef WRONG
    atomic_store(&last->next, n); /* link */
#else
    if (!atomic_compare_exchange_strong(&last->next, &next, n))
      continue;
#endif
    atomic_compare_exchange_strong(&q->tail, &last, n);
    return;
  }
}

static int get(struct queue *q) {
  for (;;) {
    struct node *first = atomic_load(&q->head);
    struct node *last = atomic_load(&q->tail);
    struct node *next = atomic_load(&first->next);
    if (!next)
      return EMPTY;
    if (first == last) /* help, or the head would overtake the tail */
      atomic_compare_exchange_strong(&q->tail, &last, next);
    else if (atomic_compare_exchange_strong(&q->head, &first, next))
      return next->value;
  }
}

FL_OBJECT(queue, queue_new, free)
FL_OP(void, put, FL_DATA(1, 3))
FL_OP(int, get)
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1)
