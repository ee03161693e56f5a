/*
 * LockFreeList: the lock-free list of Herlihy and Shavit, "The Art of
 * Multiprocessor Programming", chapter 9, as first printed.  The lowest bit of
 * a link marks its node as removed.  The mark is set by an attempt that also
 * succeeds where the mark is set already, so that two calls remove one key.
 * -DFIXED marks with a compare-and-swap that wants the node unmarked.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: remove_key\((.)\)\}.*remove_key\(\1\)\}
 * LINE: M3
 * RUN: %s --client 'add(1); {remove_key(1)} || {remove_key(1)}'
 * EXIT: 1
 * VERDICT: violation
 * LINE: F2
 * LINE: M3
 * RUN: explore %s --client 'add(1); {remove_key(1)} || {remove_key(1)}'
 * OUTCOMES: true,false,true true,true,false true,true,true
 * RUN: %s --no-reduction
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s --client 'add(1); {remove_key(1)} || {remove_key(1)}' -- \
 *     -DFIXED
 * OUTCOMES: true,false,true true,true,false
 */
#include <faultline.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef _Atomic(uintptr_t) link;

struct node {
  int key;
  link next; /* the address of the next node, plus 1: removed */
};

static struct node *node_of(uintptr_t l) {
  return (struct node *)(l & ~(uintptr_t)1);
}

static bool marked(uintptr_t l) { return l & 1; }

static struct node *node_new(int key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  atomic_init(&n->next, (uintptr_t)next);
  return n;
}

/* The set is its first node, which holds no key. */
static struct node *set_new(void) {
  return node_new(INT_MIN, node_new(INT_MAX, NULL));
}

/* A macro, so that reports name the line where it stands. */
#define SWING(l, from, to)                                                     \
  atomic_compare_exchange_strong(l, &(uintptr_t){(uintptr_t)(from)},           \
                                 (uintptr_t)(to))

/* The last node with a smaller key and the one behind it; unlinks nodes that
 * are marked on the way. */
static void find(struct node *head, int key, struct node **pred,
                 struct node **curr) {
  uintptr_t succ;
restart:
  *pred = head;
  *curr = node_of(atomic_load(&head->next)); /* F1 */
  for (;;) {
    succ = atomic_load(&(*curr)->next); /* F2 */
    while (marked(succ)) {
      if (!SWING(&(*pred)->next, *curr, node_of(succ))) /* F3 */
        goto restart;
      *curr = node_of(atomic_load(&(*pred)->next));
      succ = atomic_load(&(*curr)->next);
    }
    if ((*curr)->key >= key) /* F4 */
      return;
    *pred = *curr;
    *curr = node_of(succ);
  }
}

static bool add(struct node *head, int key) {
  struct node *pred, *curr, *n;
  do {
    find(head, key, &pred, &curr);
    if (curr->key == key)
      return false;
    n = node_new(key, curr);
  } while (!SWING(&pred->next, curr, n)); /* A4 */
  return true;
}

/* One atomic step: sets the mark of a link that leads to succ. */
static bool attempt_mark(link *l, struct node *succ) {
  uintptr_t seen = (uintptr_t)succ;
  if (atomic_compare_exchange_strong(l, &seen, (uintptr_t)succ | 1)) /* M3 */
    return true;
#ifdef FIXED
  return false;
#else
  return seen == ((uintptr_t)succ | 1); /* somebody else has set it */
#endif
}

static bool remove_key(struct node *head, int key) {
  struct node *pred, *curr, *succ;
  do {
    find(head, key, &pred, &curr); /* M1 */
    if (curr->key != key)
      return false;
    succ = node_of(atomic_load(&curr->next)); /* M2 */
  } while (!attempt_mark(&curr->next, succ));
  SWING(&pred->next, curr, succ); /* M5 */
  return true;
}

static bool contains(struct node *head, int key) {
  struct node *pred, *curr;
  find(head, key, &pred, &curr);
  return curr->key == key;
}

FL_OBJECT(set, set_new)
FL_OP(bool, add, FL_INT(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 3))
FL_OP(bool, contains, FL_INT(1, 3))
FL_SPEC(set, add = add, remove = remove_key, contains = contains)
