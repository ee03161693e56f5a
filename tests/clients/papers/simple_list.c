/*
 * SimpleList: a sorted list in the style of Vechev and Yahav (PLDI 2008) whose
 * add takes the lock too late.  It walks without, and when it has the lock,
 * other nodes may stand at that place or its place be gone: an add is lost.
 * remove_key holds the lock all the time.  -DFIXED walks again under the lock
 * and starts over when the place has changed.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: \{add\(.\)\} \|\| \{add\(.\)\}
 * LINE: S3
 * RUN: %s --client 'add(1); {add(2)} || {add(3)}; contains(2); contains(3)'
 * EXIT: 1
 * VERDICT: violation
 * LINE: S1
 * LINE: S3
 * RUN: explore %s --client 'add(1); {add(2)} || {add(3)}; contains(2); \
 *     contains(3)'
 * OUTCOMES: true,true,true,true,true true,true,true,false,true \
 *     true,true,true,true,false
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'add(1); {add(2)} || {add(3)}; contains(2); \
 *     contains(3)' -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
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

#ifdef FIXED
/* Under the lock: pred is in the list, and curr is behind it. */
static bool validate(struct list *l, struct node *pred, struct node *curr) {
  struct node *n = l->head;
  while (n->val < pred->val)
    n = n->next;
  return n == pred && pred->next == curr;
}
#endif

static bool add(struct list *l, int k) {
  struct node *pred, *curr, *n;
#ifdef FIXED
restart:
#endif
  pred = l->head;
  curr = pred->next;
  while (curr->val < k) { /* S1 */
    pred = curr;
    curr = curr->next; /* S1, next */
  }
  if (curr->val == k) /* S2 */
    return false;
  n = node_new(k, curr);
  pthread_mutex_lock(&l->lock); /* S3, lock */
#ifdef FIXED
  if (!validate(l, pred, curr)) {
    pthread_mutex_unlock(&l->lock);
    goto restart;
  }
#endif
  pred->next = n; /* S3 */
  pthread_mutex_unlock(&l->lock);
  return true;
}

static bool remove_key(struct list *l, int k) {
  struct node *pred, *curr;
  pthread_mutex_lock(&l->lock);
  pred = l->head;
  curr = pred->next;
  while (curr->val < k) {
    pred = curr;
    curr = curr->next;
  }
  if (curr->val == k)
    pred->next = curr->next;
  pthread_mutex_unlock(&l->lock);
  return curr->val == k;
}

static bool contains(struct list *l, int k) {
  struct node *curr = l->head->next;
  while (curr->val < k)
    curr = curr->next;
  return curr->val == k;
}

FL_OBJECT(list, list_new)
FL_OP(bool, add, FL_INT(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 3))
FL_OP(bool, contains, FL_INT(1, 3))
FL_SPEC(set, add = add, remove = remove_key, contains = contains)
