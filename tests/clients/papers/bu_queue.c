/*
 * BUQueue: the queue of Michael and Scott whose enqueue does not look a second
 * time whether tail has moved.  As long as nodes are not used again, that look
 * only saves work: the queue is linearizable and must never be reported.
 * -DSTALE shows that the test can fail: tail is moved although the link was
 * not written.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{enq(1)} || {enq(2)} || {deq()}; deq(); deq()'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'enq(1); {deq(); enq(2)} || {enq(3); deq()}; deq(); deq()'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DSTALE
 * EXIT: 1
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

static void enq(struct queue *q, int value) {
  struct node *n = calloc(1, sizeof *n);
  struct node *last, *next;
  n->value = value;
  for (;;) {
    last = atomic_load(&q->tail);
    next = atomic_load(&last->next);
    if (next) {
      atomic_compare_exchange_strong(&q->tail, &last, next);
      continue;
    }
#ifdef STALE
    atomic_store(&last->next, n);
    break;
#else
    if (atomic_compare_exchange_strong(&last->next, &next, n))
      break;
#endif
  }
  atomic_compare_exchange_strong(&q->tail, &last, n);
}

static int deq(struct queue *q) {
  struct node *first, *last, *next;
  int value;
  for (;;) {
    first = atomic_load(&q->head);
    last = atomic_load(&q->tail);
    next = atomic_load(&first->next);
    if (atomic_load(&q->head) != first)
      continue;
    if (first == last) {
      if (!next)
        return EMPTY;
      atomic_compare_exchange_strong(&q->tail, &last, next);
      continue;
    }
    value = next->value;
    if (atomic_compare_exchange_strong(&q->head, &first, next))
      return value;
  }
}

FL_OBJECT(queue, queue_new, free)
FL_OP(void, enq, FL_DATA(1, 3))
FL_OP(int, deq)
FL_SPEC(queue, enqueue = enq, dequeue = deq, empty = -1)
