/*
 * BUList3: a sorted list with one lock.  remove_key marks its node and reads
 * the link behind it before it takes the lock: an add (or another removal) that
 * has checked that its predecessor is not marked, and has the lock, writes that
 * link afterwards, and the removal then installs what it read before.  An add
 * is lost, or a removed key comes back.  -DFIXED takes the lock first.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: D3
 * LINE: D4
 * LINE: D7
 * RUN: explore %s --client 'add(1); {remove_key(1)} || {add(2)}; add(2)'
 * OUTCOMES: true,true,true,false true,true,true,true
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1)} || \
 *     {remove_key(2)}; add(2)'
 * OUTCOMES: true,true,true,true,true true,true,true,true,false
 * RUN: %s --client 'add(2); {remove_key(2)} || {remove_key(2)}; add(2)'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{add(1)} || {add(2)}; add(1); add(2)'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int item;
  bool marked;
  struct node *next;
};

struct list {
  pthread_mutex_t lock;
  struct node *head;
};

static struct node *node_new(int item, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->item = item;
  n->marked = false;
  n->next = next;
  return n;
}

static struct list *list_new(void) {
  struct list *l = malloc(sizeof *l);
  pthread_mutex_init(&l->lock, NULL);
  l->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
  return l;
}

/* The node n, which nobody else has seen, or a new one.  -DFRESH: always a new
 * one, so that a call that waits in its loop never is in the same state again.
 */
static struct node *node_for(struct node *n, int item, struct node *next) {
#ifndef FRESH
  if (n) {
    n->next = next;
    return n;
  }
#endif
  (void)n;
  return node_new(item, next);
}

/* Without the lock; marks are not looked at. */
static void locate(struct list *l, int v, struct node **pred,
                   struct node **curr) {
  *pred = l->head;
  *curr = (*pred)->next;
  while ((*curr)->item < v) {
    *pred = *curr;
    *curr = (*curr)->next;
  }
}

static bool add(struct list *l, int v) {
  struct node *pred, *curr, *n = NULL;
  for (;;) {
    locate(l, v, &pred, &curr); /* A1 */
    if (curr->item == v)        /* A2 */
      return false;
    n = node_for(n, v, curr);                /* A3 */
    pthread_mutex_lock(&l->lock);            /* A4 */
    if (!pred->marked && pred->next == curr) /* A5 */
      break;
    pthread_mutex_unlock(&l->lock);
  }
  pred->next = n; /* A6 */
  pthread_mutex_unlock(&l->lock);
  return true;
}

static bool remove_key(struct list *l, int v) {
  struct node *pred, *curr, *r;
  for (;;) {
    locate(l, v, &pred, &curr); /* D1 */
    if (curr->item != v)        /* D2 */
      return false;
#ifdef FIXED
    pthread_mutex_lock(&l->lock);
    if (!pred->marked && pred->next == curr)
      break;
    pthread_mutex_unlock(&l->lock);
  }
  curr->marked = true;
  r = curr->next;
#else
    curr->marked = true;                     /* D3 */
    r = curr->next;                          /* D4 */
    pthread_mutex_lock(&l->lock);            /* D5 */
    if (!pred->marked && pred->next == curr) /* D6 */
      break;
    pthread_mutex_unlock(&l->lock);
  }
#endif
  pred->next = r; /* D7 */
  pthread_mutex_unlock(&l->lock);
  return true;
}

FL_OBJECT(list, list_new)
FL_OP(bool, add, FL_INT(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 3))
FL_SPEC(set, add = add, remove = remove_key)
