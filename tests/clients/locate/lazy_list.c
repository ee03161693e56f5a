/*
 * A lazy list that does not look at the marks when it validates, as it does
 * with -DFIXED.  The lock of a node cannot be taken before the node is known.
 *
 * RUN: %s --width=400
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: add\(\) is not linearizable: lines 66-71 can
 * NOOUTPUT: To make them atomic
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int key;
  atomic_bool marked;
  _Atomic(struct node *) next;
  pthread_mutex_t lock;
};
struct list {
  struct node *head;
};

static struct node *node_new(int key, struct node *next) {
  struct node *n = calloc(1, sizeof *n);
  n->key = key;
  n->next = next;
  pthread_mutex_init(&n->lock, NULL);
  return n;
}
static struct list *list_new(void) {
  struct list *l = calloc(1, sizeof *l);
  l->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
  return l;
}
static void list_free(struct list *l) { (void)l; }

static bool validate(struct node *pred, struct node *curr) {
#ifdef FIXED
  return !pred->marked && !curr->marked && pred->next == curr;
#else
  return pred->next == curr;
#endif
}

static void locate(struct list *l, int key, struct node **pred,
                   struct node **curr) {
  *pred = l->head;
  *curr = (*pred)->next;
  while ((*curr)->key < key) {
    *pred = *curr;
    *curr = (*curr)->next;
  }
}

static bool add(struct list *l, int key) {
  for (;;) {
    struct node *pred, *curr;
    locate(l, key, &pred, &curr);
    pthread_mutex_lock(&pred->lock);
    pthread_mutex_lock(&curr->lock);
    bool valid = validate(pred, curr), found = curr->key == key;
    if (valid && !found)
      pred->next = node_new(key, curr);
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
    if (valid)
      return !found;
  }
}

static bool del(struct list *l, int key) {
  for (;;) {
    struct node *pred, *curr;
    locate(l, key, &pred, &curr);
    pthread_mutex_lock(&pred->lock);
    pthread_mutex_lock(&curr->lock);
    bool valid = validate(pred, curr), found = curr->key == key;
    if (valid && found) {
      curr->marked = true;
      pred->next = curr->next;
    }
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
    if (valid)
      return found;
  }
}

static bool has(struct list *l, int key) {
  struct node *n = l->head;
  while (n->key < key)
    n = n->next;
  return n->key == key && !n->marked;
}

FL_OBJECT(list, list_new, list_free)
FL_OP(bool, add, FL_INT(1, 2))
FL_OP(bool, del, FL_INT(1, 2))
FL_OP(bool, has, FL_INT(1, 2))
