/*
 * The lazy list of Heller et al. (OPODIS 2005): a sorted set.  add and remove
 * search without locks, lock two neighbours, and check that these still are
 * neighbours and in the list; remove marks its node before it unlinks it, so
 * that contains needs no lock at all.  Nodes are never freed.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'add(1); {remove_key(1)} || {add(2); contains(1)}; \
 *     contains(2)'
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

static struct node *node_new(int key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  atomic_init(&n->marked, false);
  atomic_init(&n->next, next);
  pthread_mutex_init(&n->lock, NULL);
  return n;
}

/* The set is its first node, which holds no key. */
static struct node *set_new(void) {
  return node_new(INT_MIN, node_new(INT_MAX, NULL));
}

/* Locks the last node with a smaller key and the one behind it. */
static void locate(struct node *set, int key, struct node **pred,
                   struct node **curr) {
  for (;;) {
    *pred = set;
    *curr = atomic_load(&set->next);
    while ((*curr)->key < key) {
      *pred = *curr;
      *curr = atomic_load(&(*curr)->next);
    }
    pthread_mutex_lock(&(*pred)->lock);
    pthread_mutex_lock(&(*curr)->lock);
    if (!atomic_load(&(*pred)->marked) && !atomic_load(&(*curr)->marked) &&
        atomic_load(&(*pred)->next) == *curr)
      return;
    pthread_mutex_unlock(&(*curr)->lock);
    pthread_mutex_unlock(&(*pred)->lock);
  }
}

static bool add(struct node *set, int key) {
  struct node *pred;
  struct node *curr;
  locate(set, key, &pred, &curr);
  bool absent = curr->key != key;
  if (absent)
    atomic_store(&pred->next, node_new(key, curr));
  pthread_mutex_unlock(&curr->lock);
  pthread_mutex_unlock(&pred->lock);
  return absent;
}

static bool remove_key(struct node *set, int key) {
  struct node *pred;
  struct node *curr;
  locate(set, key, &pred, &curr);
  bool present = curr->key == key;
  if (present) {
    atomic_store(&curr->marked, true);
    atomic_store(&pred->next, atomic_load(&curr->next));
  }
  pthread_mutex_unlock(&curr->lock);
  pthread_mutex_unlock(&pred->lock);
  return present;
}

static bool contains(struct node *set, int key) {
  struct node *n = atomic_load(&set->next);
  while (n->key < key)
    n = atomic_load(&n->next);
  return n->key == key && !atomic_load(&n->marked);
}

FL_OBJECT(set, set_new)
FL_OP(bool, add, FL_INT(1, 2))
FL_OP(bool, remove_key, FL_INT(1, 2))
FL_OP(bool, contains, FL_INT(1, 2))
FL_SPEC(set, add = add, remove = remove_key, contains = contains)
