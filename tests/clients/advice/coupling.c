/*
 * Two nodes with a lock each, and hand over hand from one to the other: the
 * first is given back before the second is taken.  What helps is the other
 * order; a new lock around the best lines would wait for the locks inside.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * KIND: hand-over-hand
 * OUTPUT: Fix: Take pthread_mutex_lock\(&next->lock\) of line 50 \
 *     before pthread_mutex_unlock\(&n->lock\) of line 49 in walk\(\) .tried:
 * NOOUTPUT: To make|move the lock|new mutex
 * RUN: %s -- -DFIXED
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  pthread_mutex_t lock;
  struct node *next;
  int value;
};

static struct node *node_new(void) {
  struct node *n = calloc(1, sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  return n;
}

static void node_free(struct node *n) {
  if (n->next)
    node_free(n->next);
  free(n);
}

/* The second node, locked; it is made if it is not there. */
static struct node *walk(struct node *n) {
  pthread_mutex_lock(&n->lock);
  if (!n->next)
    n->next = node_new();
  struct node *next = n->next;
#ifdef FIXED
  pthread_mutex_lock(&next->lock);
  pthread_mutex_unlock(&n->lock);
#else
  pthread_mutex_unlock(&n->lock);
  pthread_mutex_lock(&next->lock);
#endif
  return next;
}

static int put(struct node *n, int v) {
  struct node *second = walk(n);
  int old = second->value;
  second->value = v;
  pthread_mutex_unlock(&second->lock);
  return old;
}

/* What is cut off stays where it is: somebody may be about to lock it. */
static int cut(struct node *n) {
  pthread_mutex_lock(&n->lock);
  struct node *next = n->next;
  n->next = NULL;
  pthread_mutex_unlock(&n->lock);
  if (!next)
    return 0;
  pthread_mutex_lock(&next->lock);
  int v = next->value;
  pthread_mutex_unlock(&next->lock);
  return v;
}

FL_OBJECT(list, node_new, node_free)
FL_OP(int, put, FL_INT(1, 2))
FL_OP(int, cut)
