/*
 * The lock-free queue of Michael and Scott (PODC 1996).  A dummy node is in
 * front; tail may lag behind by one node, and whoever notices helps.  Nodes
 * are never freed.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{enqueue(1)} || {enqueue(2)} || {dequeue()}; dequeue(); \
 *     dequeue()'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
  _Atomic(struct node *) next;
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

static void enqueue(struct queue *q, int value) {
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
    if (atomic_compare_exchange_strong(&last->next, &next, n)) {
      atomic_compare_exchange_strong(&q->tail, &last, n);
      return;
    }
  }
}

static int dequeue(struct queue *q) {
  for (;;) {
    struct node *first = atomic_load(&q->head);
    struct node *last = atomic_load(&q->tail);
    struct node *next = atomic_load(&first->next);
    if (first != atomic_load(&q->head))
      continue;
    if (!next)
      return -1;
    if (first == last) {
      atomic_compare_exchange_strong(&q->tail, &last, next);
      continue;
    }
    int value = next->value;
    if (atomic_compare_exchange_strong(&q->head, &first, next))
      return value;
  }
}

FL_OBJECT(queue, queue_new, free)
FL_OP(void, enqueue, FL_DATA(1, 3))
FL_OP(int, dequeue)
FL_SPEC(queue, enqueue = enqueue, dequeue = dequeue, empty = -1)
