/*
 * BUList1: the lock-free list with a walk that does not look at marks and
 * never helps.  Two calls can remove one key, since the mark is attempted as in
 * the first print of the book; and a node whose only unlinking fails stays in
 * the list for ever, marked, as if its key were there, and no add behind it
 * can succeed.  -DFIXED has the walk that unlinks marked nodes and a mark by
 * compare-and-swap; -DMARK only the latter.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: M5
 * RUN: explore %s --client 'add(1); {remove_key(1)} || {remove_key(1)}'
 * OUTCOMES: true,false,true true,true,false true,true,true
 * RUN: explore %s --client 'add(2); {remove_key(2)} || {add(1)}; contains(2)'
 * OUTCOMES: true,true,true,false true,true,true,true
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1)} || \
 *     {remove_key(2)}; contains(1); contains(2)'
 * OUTCOMES: true,true,true,true,false,false true,true,true,true,false,true
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1); add(3)} || \
 *     {remove_key(2)}'
 * EXIT: 1
 * FAULT: livelock
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1)} || \
 *     {remove_key(2)}; add(3)'
 * EXIT: 1
 * FAULT: livelock
 * RUN: explore %s --client 'add(1); add(2); {remove_key(1); add(3)} || \
 *     {remove_key(2)}' -- -DFRESH
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: cut at --max-steps
 * RUN: %s -- -DMARK
 * EXIT: 1
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
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

#ifdef FIXED
/* The last node with a smaller key and the one behind it; unlinks nodes that
 * are marked on the way. */
static void find(struct node *head, int key, struct node **pred,
                 struct node **curr) {
  uintptr_t succ;
restart:
  *pred = head;
  *curr = node_of(atomic_load(&head->next));
  for (;;) {
    succ = atomic_load(&(*curr)->next);
    while (succ & 1) {
      if (!SWING(&(*pred)->next, *curr, node_of(succ)))
        goto restart;
      *curr = node_of(atomic_load(&(*pred)->next));
      succ = atomic_load(&(*curr)->next);
    }
    if ((*curr)->key >= key)
      return;
    *pred = *curr;
    *curr = node_of(succ);
  }
}
#else
/* The last node with a smaller key and the one behind it, marked or not. */
static void find(struct node *head, int key, struct node **pred,
                 struct node **curr) {
  *pred = head;
  *curr = node_of(atomic_load(&head->next)); /* F1 */
  while ((*curr)->key < key) {
    *pred = *curr;
    *curr = node_of(atomic_load(&(*curr)->next)); /* F2 */
  }
}
#endif

/* The node n, which nobody else has seen, or a new one.  -DFRESH: always a new
 * one, so that a call that tries in vain never is in the same state again. */
static struct node *node_for(struct node *n, int key, struct node *next) {
#ifndef FRESH
  if (n) {
    atomic_init(&n->next, (uintptr_t)next);
    return n;
  }
#endif
  (void)n;
  return node_new(key, next);
}

static bool add(struct node *head, int key) {
  struct node *pred, *curr, *n = NULL;
  do {
    find(head, key, &pred, &curr);
    if (curr->key == key)
      return false;
    n = node_for(n, key, curr);
  } while (!SWING(&pred->next, curr, n)); /* A4 */
  return true;
}

/* One atomic step: sets the mark of a link that leads to succ. */
static bool attempt_mark(link *l, struct node *succ) {
  uintptr_t seen = (uintptr_t)succ;
  if (atomic_compare_exchange_strong(l, &seen, (uintptr_t)succ | 1)) /* M3 */
    return true;
#if defined(FIXED) || defined(MARK)
  return false;
#else
  return seen == ((uintptr_t)succ | 1); /* somebody else has set it */
#endif
}

static bool remove_key(struct node *head, int key) {
  struct node *pred, *curr, *succ;
  do {
    find(head, key, &pred, &curr);
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
