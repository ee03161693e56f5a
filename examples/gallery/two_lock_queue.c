/*
 * A queue with a lock for each end (Michael and Scott, PODC 1996).  A dummy
 * node keeps the ends apart: only its `next` is touched by both.
 *
 * Wrong: without the dummy node, which looks like a waste of memory.  When the
 * queue is empty, or has one node, each side changes what the other one's lock
 * protects.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * VERDICT: violation error
 * BLAME: meet
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1 };

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct queue {
  pthread_mutex_t head_lock, tail_lock;
  struct node *head, *tail;
};

static struct node *node_new(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, NULL);
  return n;
}

static struct queue *queue_new(void) {
  struct queue *q = calloc(1, sizeof *q);
  pthread_mutex_init(&q->head_lock, NULL);
  pthread_mutex_init(&q->tail_lock, NULL);
#ifndef WRONG
  q->head = q->tail = node_new(0);
#endif
  return q;
}

static void queue_free(struct queue *q) {
  for (struct node *n = q->head, *next; n; n = next) {
    next = atomic_load(&n->next);
    free(n);
  }
  free(q);
}

#ifdef WRONG
static void put(struct queue *q, int value) {
  struct node *n = node_new(value);
  pthread_mutex_lock(&q->tail_lock);
  if (q->tail)
    atomic_store(&q->tail->next, n); /* meet */
  else
    q->head = n;
  q->tail = n;
  pthread_mutex_unlock(&q->tail_lock);
}

static int get(struct queue *q) {
  int value = EMPTY;
  pthread_mutex_lock(&q->head_lock);
  struct node *n = q->head;
  if (n) {
    value = n->value;
    q->head = atomic_load(&n->next);
    if (!q->head)
      q->tail = NULL;
  }
  pthread_mutex_unlock(&q->head_lock);
  free(n);
  return value;
}
#else
static void put(struct queue *q, int value) {
  struct node *n = node_new(value);
  pthread_mutex_lock(&q->tail_lock);
  atomic_store(&q->tail->next, n);
  q->tail = n;
  pthread_mutex_unlock(&q->tail_lock);
}

static int get(struct queue *q) {
  int value = EMPTY;
  pthread_mutex_lock(&q->head_lock);
  struct node *dummy = q->head;
  struct node *first = atomic_load(&dummy->next);
  if (first) {
    value = first->value;
    q->head = first; /* the new dummy */
  }
  pthread_mutex_unlock(&q->head_lock);
  if (first)
    free(dummy);
  return value;
}
#endif

FL_OBJECT(queue, queue_new, queue_free)
FL_OP(void, put, FL_DATA(1, 3))
FL_OP(int, get)
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1)
