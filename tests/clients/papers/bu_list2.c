/*
 * BUList2: a sorted list with one lock and no check of what was found before
 * the lock was taken.  remove_key writes the link back to itself: nothing is
 * ever removed, which one thread alone can see, and which is reported as that.
 * -DREMOVES repairs this slip: what is left is the add that gets lost.
 * -DFIXED also walks again under the lock.
 *
 * RUN: %s
 * EXIT: 1
 * FAULT: sequential
 * OUTPUT: remove_key
 * LINE: no unlink
 * LINE: unlink
 * RUN: %s -- -DREMOVES
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: link
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* volatile: the compiler would drop the read and the write of the same. */
struct node {
  int key;
  struct node *volatile next;
};

struct list {
  pthread_mutex_t lock;
  struct node *head;
};

static struct node *node_new(int key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->next = next;
  return n;
}

static struct list *list_new(void) {
  struct list *l = malloc(sizeof *l);
  pthread_mutex_init(&l->lock, NULL);
  l->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
  return l;
}

static void locate(struct list *l, int k, struct node **pred,
                   struct node **curr) {
  *pred = l->head;
  *curr = (*pred)->next;
  while ((*curr)->key < k) {
    *pred = *curr;
    *curr = (*curr)->next;
  }
}

#ifdef FIXED
static bool validate(struct list *l, struct node *pred, struct node *curr) {
  struct node *n = l->head;
  while (n->key < pred->key)
    n = n->next;
  return n == pred && pred->next == curr;
}
#else
static bool validate(struct list *l, struct node *pred, struct node *curr) {
  (void)l;
  (void)pred;
  (void)curr;
  return true;
}
#endif

/* Locates k and takes the lock. */
static void acquire(struct list *l, int k, struct node **pred,
                    struct node **curr) {
  for (;;) {
    locate(l, k, pred, curr);
    pthread_mutex_lock(&l->lock);
    if (validate(l, *pred, *curr))
      return;
    pthread_mutex_unlock(&l->lock);
  }
}

static bool add(struct list *l, int k) {
  struct node *pred, *curr;
  acquire(l, k, &pred, &curr);
  bool absent = curr->key != k;
  if (absent)
    pred->next = node_new(k, curr); /* link */
  pthread_mutex_unlock(&l->lock);
  return absent;
}

static bool remove_key(struct list *l, int k) {
  struct node *pred, *curr, *r;
  acquire(l, k, &pred, &curr);
  bool present = curr->key == k;
  if (present) {
#if defined(FIXED) || defined(REMOVES)
    r = curr->next;
#else
    r = pred->next; /* no unlink */
#endif
    pred->next = r; /* unlink */
  }
  pthread_mutex_unlock(&l->lock);
  return present;
}

static bool contains(struct list *l, int k) {
  struct node *pred, *curr;
  locate(l, k, &pred, &curr);
  pthread_mutex_lock(&l->lock);
  bool present = curr->key == k;
  pthread_mutex_unlock(&l->lock);
  return present;
}

FL_OBJECT(list, list_new)
FL_OP(bool, add, FL_INT(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 3))
FL_OP(bool, contains, FL_INT(1, 3))
FL_SPEC(set, add = add, remove = remove_key, contains = contains)
