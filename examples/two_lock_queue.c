/*
 * The two-lock queue of Michael and Scott (PODC 1996): one lock for each end,
 * and a dummy node in front so that the ends do not meet.  `next` is the only
 * field that both sides touch, when the queue is empty.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --leaks --client '{enqueue(1)} || {enqueue(2); dequeue()} || \
 *     {dequeue()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct queue {
  struct node *head;
  struct node *tail;
  pthread_mutex_t head_lock;
  pthread_mutex_t tail_lock;
};

static struct node *node_new(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, NULL);
  return n;
}

static struct queue *queue_new(void) {
  struct queue *q = malloc(sizeof *q);
  q->head = node_new(0);
  q->tail = q->head;
  pthread_mutex_init(&q->head_lock, NULL);
  pthread_mutex_init(&q->tail_lock, NULL);
  return q;
}

static void queue_free(struct queue *q) {
  for (struct node *n = q->head; n;) {
    struct node *next = atomic_load(&n->next);
    free(n);
    n = next;
  }
  pthread_mutex_destroy(&q->head_lock);
  pthread_mutex_destroy(&q->tail_lock);
  free(q);
}

static void enqueue(struct queue *q, int value) {
  struct node *n = node_new(value);
  pthread_mutex_lock(&q->tail_lock);
  atomic_store(&q->tail->next, n);
  q->tail = n;
  pthread_mutex_unlock(&q->tail_lock);
}

static int dequeue(struct queue *q) {
  pthread_mutex_lock(&q->head_lock);
  struct node *dummy = q->head;
  struct node *first = atomic_load(&dummy->next);
  if (!first) {
    pthread_mutex_unlock(&q->head_lock);
    return -1;
  }
  int value = first->value;
  q->head = first;
  pthread_mutex_unlock(&q->head_lock);
  free(dummy);
  return value;
}

FL_OBJECT(queue, queue_new, queue_free)
FL_OP(void, enqueue, FL_DATA(1, 3))
FL_OP(int, dequeue)
FL_SPEC(queue, enqueue = enqueue, dequeue = dequeue, empty = -1)
