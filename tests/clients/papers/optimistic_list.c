/*
 * The optimistic sorted list of Synchrobench with a wait-free contains
 * (OptimisticListSortedSetWaitFreeContains), as in Tables 1 and 2 of "Root
 * Causing Linearizability Violations"; the lines are numbered as there.
 * -DADD_SHRUNK and -DREMOVE_SHRUNK take the two locks behind the validation.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DADD_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 56
 * RUN: %s -- -DREMOVE_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 80
 * RUN: %s -- -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: explore %s --client '{a(0); a(0)} || {a(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true true,true,true
 * RUN: explore %s --client '{a(0); a(1)} || {a(0)}'
 * EXIT: 0
 * OUTCOMES: false,true,true true,true,false
 * RUN: explore %s --client '{a(0); a(1)} || {a(0)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,true true,true,false true,true,true
 * RUN: explore %s --client '{a(0)} || {c(1); a(0)}'
 * EXIT: 0
 * OUTCOMES: false,false,true true,false,false
 * RUN: explore %s --client '{a(0)} || {c(1); a(0)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,false,true true,false,false true,false,true
 * RUN: explore %s --client '{c(0); a(1); r(1); c(0)} || {r(1)}'
 * EXIT: 0
 * OUTCOMES: false,true,false,false,true false,true,true,false,false
 * RUN: explore %s --client '{c(0); a(1); r(1); c(0)} || {r(1)}' -- \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,false,false,true false,true,true,false,false \
 *     false,true,true,false,true
 * RUN: explore %s --client '{a(0); r(0)} || {r(0); a(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true,true true,true,false,true
 * RUN: explore %s --client '{a(0); r(0)} || {r(0); a(1)}' -- -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true,true true,true,false,true true,true,true,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1); r(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1); r(1)}' -- -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true,true true,true,true,true
 * RUN: explore %s --client '{a(0); a(0); r(0)} || {r(0)}'
 * EXIT: 0
 * OUTCOMES: true,false,false,true true,false,true,false true,true,true,true
 * RUN: explore %s --client '{a(0); a(0); r(0)} || {r(0)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,false,true true,false,true,false true,true,true,true \
 *     true,false,true,true
 * RUN: explore %s --client '{a(0)} || {a(0); r(1)}'
 * EXIT: 0
 * OUTCOMES: false,true,false true,false,false
 * RUN: explore %s --client '{a(0)} || {a(0); r(1)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,false true,false,false true,true,false
 * RUN: explore %s --client '{c(1); r(1); a(1)} || {a(1)}'
 * EXIT: 0
 * OUTCOMES: false,false,false,true false,false,true,false \
 *     false,true,true,true true,true,true,true
 * RUN: explore %s --client '{c(1); r(1); a(1)} || {a(1)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,false,false,true false,false,true,false \
 *     false,true,true,true true,true,true,true false,false,true,true
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int value;
  _Atomic(struct node *) next;
  pthread_mutex_t lock;
};

static struct node *node_new(int value, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, next);
  pthread_mutex_init(&n->lock, NULL);
  return n;
}

/* The set is its first node, which holds no value. */
static struct node *set_new(void) {
  return node_new(INT_MIN, node_new(INT_MAX, NULL));
}

/* pred can be reached, and curr is behind it. */
static bool validate(struct node *head, struct node *pred, struct node *curr) {
  struct node *n = head;
  while (n->value <= pred->value) {
    if (n == pred)
      return pred->next == curr;
    n = n->next;
  }
  return false;
}

static void lock(struct node *pred, struct node *curr) {
  pthread_mutex_lock(&pred->lock);
  pthread_mutex_lock(&curr->lock);
}

static void unlock(struct node *pred, struct node *curr) {
  pthread_mutex_unlock(&pred->lock);
  pthread_mutex_unlock(&curr->lock);
}

static bool a(struct node *head, int v) {
  struct node *pred, *curr, *n;
  bool valid;
  for (;;) {
    pred = head;
    curr = head->next;        /* line 43 */
    while (curr->value < v) { /* line 44 */
      pred = curr;
      curr = curr->next; /* line 46 */
    }
#ifndef ADD_SHRUNK
    lock(pred, curr);
#endif
    valid = validate(head, pred, curr); /* line 51 */
#ifdef ADD_SHRUNK
    if (!valid)
      continue;
    lock(pred, curr);
#endif
    if (valid) {
      if (curr->value == v) { /* line 52 */
        unlock(pred, curr);
        return false;
      }
      n = node_new(v, curr); /* line 55 */
      pred->next = n;        /* line 56 */
      unlock(pred, curr);
      return true;
    }
    unlock(pred, curr);
  }
}

static bool r(struct node *head, int v) {
  struct node *pred, *curr;
  bool valid, present;
  for (;;) {
    pred = head;
    curr = head->next;        /* line 70 */
    while (curr->value < v) { /* line 71 */
      pred = curr;
      curr = curr->next; /* line 73 */
    }
#ifndef REMOVE_SHRUNK
    lock(pred, curr);
#endif
    valid = validate(head, pred, curr); /* line 78 */
#ifdef REMOVE_SHRUNK
    if (!valid)
      continue;
    lock(pred, curr);
#endif
    if (valid) {
      present = curr->value == v; /* line 79 */
      if (present)
        pred->next = curr->next; /* line 80 */
      unlock(pred, curr);
      return present;
    }
    unlock(pred, curr);
  }
}

static bool c(struct node *head, int v) {
  struct node *curr = head->next; /* line 100 */
  while (curr->value < v)         /* line 101 */
    curr = curr->next;            /* line 103 */
  return curr->value == v;        /* line 105 */
}

FL_OBJECT(set, set_new)
FL_OP(bool, a, FL_INT(0, 1))
FL_OP(bool, r, FL_INT(0, 1))
FL_OP(bool, c, FL_INT(0, 1))
FL_SPEC(set, add = a, remove = r, contains = c)
