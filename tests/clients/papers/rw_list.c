/*
 * The sorted list with one reader-writer lock of Synchrobench
 * (RWLockCoarseGrainedListIntSet), as in Tables 1 and 2 of "Root Causing
 * Linearizability Violations"; the lines are numbered as there.
 * -DADD_SHRUNK and -DREMOVE_SHRUNK take the lock behind the walk only.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DADD_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 35
 * RUN: %s -- -DREMOVE_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 54
 * RUN: %s -- -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: explore %s --client '{c(1); r(1); a(1)} || {a(1)}'
 * EXIT: 0
 * OUTCOMES: false,false,false,true false,false,true,false \
 *     false,true,true,true true,true,true,true
 * RUN: explore %s --client '{c(1); r(1); a(1)} || {a(1)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,false,false,true false,false,true,false \
 *     false,true,true,true true,true,true,true false,false,true,true
 * RUN: explore %s --client '{a(0); a(1)} || {a(0)}'
 * EXIT: 0
 * OUTCOMES: false,true,true true,true,false
 * RUN: explore %s --client '{a(0); a(1)} || {a(0)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,true true,true,false true,true,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true true,true,true
 * RUN: explore %s --client '{a(0); a(0); r(0)} || {r(0)}'
 * EXIT: 0
 * OUTCOMES: true,false,false,true true,false,true,false true,true,true,true
 * RUN: explore %s --client '{a(0); a(0); r(0)} || {r(0)}' -- -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,false,true true,false,true,false true,true,true,true \
 *     true,false,true,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1); r(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true,true
 * RUN: explore %s --client '{a(0); a(0)} || {a(1); r(1)}' -- -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true,true true,true,true,true
 * RUN: explore %s --client '{r(0)} || {a(0); r(0)}'
 * EXIT: 0
 * OUTCOMES: false,true,true true,true,false
 * RUN: explore %s --client '{r(0)} || {a(0); r(0)}' -- -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,true true,true,false true,true,true
 * RUN: explore %s --client '{a(0); r(0)} || {r(0); a(1)}'
 * EXIT: 0
 * OUTCOMES: true,false,true,true true,true,false,true
 * RUN: explore %s --client '{a(0); r(0)} || {r(0); a(1)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,false,true,true true,true,false,true true,false,false,true \
 *     true,true,true,true
 * RUN: explore %s --client '{a(1); r(1)} || {a(0)}'
 * EXIT: 0
 * OUTCOMES: true,true,true
 * RUN: explore %s --client '{a(1); r(1)} || {a(0)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: true,true,true true,false,true
 * RUN: explore %s --client '{c(0); a(1); r(1); c(0)} || {r(1)}'
 * EXIT: 0
 * OUTCOMES: false,true,false,false,true false,true,true,false,false
 * RUN: explore %s --client '{c(0); a(1); r(1); c(0)} || {r(1)}' -- \
 *     -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,true,false,false,true false,true,true,false,false \
 *     false,true,true,false,true
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int key;
  struct node *next;
};

struct set {
  pthread_rwlock_t lock;
  struct node *head;
};

static struct node *node_new(int key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->next = next;
  return n;
}

static struct set *set_new(void) {
  struct set *s = malloc(sizeof *s);
  pthread_rwlock_init(&s->lock, NULL);
  s->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
  return s;
}

static bool a(struct set *s, int k) {
  struct node *pred, *curr;
  bool absent;
#ifndef ADD_SHRUNK
  pthread_rwlock_wrlock(&s->lock);
#endif
  pred = s->head;         /* line 26 */
  curr = pred->next;      /* line 27 */
  while (curr->key < k) { /* line 28 */
    pred = curr;          /* line 29 */
    curr = pred->next;    /* line 30 */
  }
#ifdef ADD_SHRUNK
  pthread_rwlock_wrlock(&s->lock);
#endif
  absent = curr->key != k; /* line 32 */
  if (absent)
    pred->next = node_new(k, curr); /* line 35 */
  pthread_rwlock_unlock(&s->lock);
  return absent;
}

static bool r(struct set *s, int k) {
  struct node *pred, *curr;
  bool present;
#ifndef REMOVE_SHRUNK
  pthread_rwlock_wrlock(&s->lock);
#endif
  pred = s->head;         /* line 47 */
  curr = pred->next;      /* line 48 */
  while (curr->key < k) { /* line 49 */
    pred = curr;          /* line 50 */
    curr = pred->next;    /* line 51 */
  }
#ifdef REMOVE_SHRUNK
  pthread_rwlock_wrlock(&s->lock);
#endif
  present = curr->key == k; /* line 53 */
  if (present)
    pred->next = curr->next; /* line 54 */
  pthread_rwlock_unlock(&s->lock);
  return present;
}

static bool c(struct set *s, int k) {
  struct node *curr;
  bool present;
  pthread_rwlock_rdlock(&s->lock);
  curr = s->head->next;     /* line 67 */
  while (curr->key < k)     /* line 68 */
    curr = curr->next;      /* line 70 */
  present = curr->key == k; /* line 72 */
  pthread_rwlock_unlock(&s->lock);
  return present;
}

FL_OBJECT(set, set_new)
FL_OP(bool, a, FL_INT(0, 1))
FL_OP(bool, r, FL_INT(0, 1))
FL_OP(bool, c, FL_INT(0, 1))
FL_SPEC(set, add = a, remove = r, contains = c)
