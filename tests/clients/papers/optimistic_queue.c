/*
 * OptimisticQueue: the queue of Ladan-Mozes and Shavit (DISC 2004).  next
 * leads from a node to the one that was put in before it, prev back; prev is
 * written late and repaired by fix_list.  poll reads the value behind its
 * compare-and-swap from what is head by then: a second poll may have moved it,
 * and both return the second value.  -DFIXED reads the value of its own node
 * before the compare-and-swap.
 *
 * Nodes are never freed, and a walk that meets a node that was taken out stops.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: poll\(\)\}.*poll\(\)\}
 * LINE: P7
 * LINE: P10
 * RUN: explore %s --client 'offer(1); offer(2); {poll()} || {poll()}'
 * OUTCOMES: -,-,1,2 -,-,2,1 -,-,2,2
 * RUN: %s --no-reduction
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s --client 'offer(1); offer(2); {poll()} || {poll()}' -- \
 *     -DFIXED
 * OUTCOMES: -,-,1,2 -,-,2,1
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1 };

struct node {
  int item;
  _Atomic(struct node *) next; /* towards the head: older */
  _Atomic(struct node *) prev; /* towards the tail: newer */
};

struct queue {
  _Atomic(struct node *) head;
  _Atomic(struct node *) tail;
};

static struct queue *queue_new(void) {
  struct queue *q = malloc(sizeof *q);
  struct node *dummy = calloc(1, sizeof *dummy);
  atomic_init(&q->head, dummy);
  atomic_init(&q->tail, dummy);
  return q;
}

static void offer(struct queue *q, int item) {
  struct node *n = calloc(1, sizeof *n);
  struct node *t;
  n->item = item;
  do {
    t = atomic_load(&q->tail); /* O2 */
    atomic_store(&n->next, t);
  } while (!atomic_compare_exchange_strong(&q->tail, &t, n)); /* O4 */
  atomic_store(&t->prev, n);                                  /* O5 */
}

/* Writes prev of the nodes from t to h. */
static void fix_list(struct queue *q, struct node *t, struct node *h) {
  struct node *cur = t, *next;
  while (cur && atomic_load(&q->head) == h && cur != h) {
    next = atomic_load(&cur->next);
    if (!next)
      return;
    atomic_store(&next->prev, cur);
    cur = atomic_load(&cur->next);
  }
}

static int poll(struct queue *q) {
  struct node *h, *t, *first;
  for (;;) {
    h = atomic_load(&q->head);      /* P1 */
    t = atomic_load(&q->tail);      /* P2 */
    first = atomic_load(&h->prev);  /* P3 */
    if (atomic_load(&q->head) != h) /* P4 */
      continue;
    if (h == t)
      return EMPTY;
    if (!first) {
      fix_list(q, t, h); /* P6 */
      continue;
    }
#ifdef FIXED
    int item = first->item;
#endif
    if (!atomic_compare_exchange_strong(&q->head, &h, first)) /* P7 */
      continue;
    atomic_store(&h->next, NULL); /* P8 */
    atomic_store(&h->prev, NULL); /* P9 */
#ifdef FIXED
    return item;
#else
    return atomic_load(&q->head)->item; /* P10 */
#endif
  }
}

FL_OBJECT(queue, queue_new, free)
FL_OP(void, offer, FL_DATA(1, 3))
FL_OP(int, poll)
FL_SPEC(queue, enqueue = offer, dequeue = poll, empty = -1)
