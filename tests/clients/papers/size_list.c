/*
 * A sorted list with one lock, which size() does not take: it counts nodes
 * that were removed after it had passed them together with nodes that were
 * added ahead of it.  -DFIXED takes the lock.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: size\(\)\}
 * LINE: Z1
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1); add(3)} || \
 *     {size()}'
 * OUTCOMES: true,true,true,true,1 true,true,true,true,2 true,true,true,true,3
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1); add(3)} || \
 *     {size()}' -- -DFIXED
 * OUTCOMES: true,true,true,true,1 true,true,true,true,2
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};

struct list {
  pthread_mutex_t lock;
  struct node *head;
};

static struct node *node_new(int val, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->val = val;
  n->next = next;
  return n;
}

static struct list *list_new(void) {
  struct list *l = malloc(sizeof *l);
  pthread_mutex_init(&l->lock, NULL);
  l->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
  return l;
}

/* The last node with a smaller value. */
static struct node *before(struct list *l, int k) {
  struct node *pred = l->head;
  while (pred->next->val < k)
    pred = pred->next;
  return pred;
}

static bool add(struct list *l, int k) {
  pthread_mutex_lock(&l->lock);
  struct node *pred = before(l, k);
  bool absent = pred->next->val != k;
  if (absent)
    pred->next = node_new(k, pred->next); /* added */
  pthread_mutex_unlock(&l->lock);
  return absent;
}

static bool remove_key(struct list *l, int k) {
  pthread_mutex_lock(&l->lock);
  struct node *pred = before(l, k);
  bool present = pred->next->val == k;
  if (present)
    pred->next = pred->next->next; /* removed */
  pthread_mutex_unlock(&l->lock);
  return present;
}

static int size(struct list *l) {
  int count = 0;
  struct node *n;
#ifdef FIXED
  pthread_mutex_lock(&l->lock);
#endif
  n = l->head->next; /* Z1 */
  while (n->val < INT_MAX) {
    count++;
    n = n->next; /* Z2 */
  }
#ifdef FIXED
  pthread_mutex_unlock(&l->lock);
#endif
  return count;
}

FL_OBJECT(list, list_new)
FL_OP(bool, add, FL_INT(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 3))
FL_OP(int, size)
FL_SPEC(set, add = add, remove = remove_key, size = size)
