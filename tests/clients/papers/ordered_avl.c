/*
 * The tree of Drachsler, Vechev and Yahav (PPoPP 2014) of Synchrobench
 * (LogicalOrderingAVL), as in Tables 1 and 2 of "Root Causing Linearizability
 * Violations": an AVL tree whose nodes are also in a sorted list.  a(k, v) puts
 * and returns the old item or NOTHING; r(k, v) removes k if it has the item v.
 * The lines of the two operations are numbered as there.
 *
 * -DADD_SHRUNK and -DREMOVE_SHRUNK hold the lock of the list only while they
 * look whether the predecessor is valid; the locks of the tree stay.
 * -DRELOCK takes the locks of the list again for the removal from the list, as
 * the word shrinking has it; they then come after locks of the tree, other
 * than in a(), which is a deadlock.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DADD_SHRUNK
 * EXIT: 1
 * RUN: %s -- -DREMOVE_SHRUNK
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 436
 * LINE: line 451
 * RUN: %s -- -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * RUN: explore %s --client '{a(1, 0)} || {a(1, 1); r(1, 1)}'
 * EXIT: 0
 * OUTCOMES: 1,-1,false -1,0,true -1,-1,true
 * RUN: explore %s --client '{a(1, 0)} || {a(1, 1); r(1, 1)}' -- -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: 1,-1,false -1,0,true -1,-1,true 1,-1,true
 * RUN: explore %s --client '{r(1, 1); r(0, 1)} || {a(1, 1); a(1, 0)}'
 * EXIT: 0
 * OUTCOMES: false,false,-1,1 true,false,-1,-1
 * RUN: explore %s --client '{r(1, 1); r(0, 1)} || {a(1, 1); a(1, 0)}' -- \
 *     -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,false,-1,1 true,false,-1,-1 true,false,-1,1
 * RUN: explore %s --client '{r(0, 0); r(1, 0)} || {a(0, 0); a(0, 1)}'
 * EXIT: 0
 * OUTCOMES: false,false,-1,0 true,false,-1,-1
 * RUN: explore %s --client '{r(0, 0); r(1, 0)} || {a(0, 0); a(0, 1)}' -- \
 *     -DADD_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,false,-1,0 true,false,-1,-1 true,false,-1,0
 * RUN: explore %s --client '{a(1, 0); a(0, 0); r(0, 0)} || {r(1, 0)}'
 * EXIT: 0
 * OUTCOMES: -1,-1,true,false -1,-1,true,true
 * RUN: explore %s --client '{a(1, 0); a(0, 0); r(0, 0)} || {r(1, 0)}' -- \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: -1,-1,true,false -1,-1,true,true -1,-1,false,true
 * RUN: explore %s --client '{a(1, 0); r(1, 0)} || {r(1, 0)}'
 * EXIT: 0
 * OUTCOMES: -1,false,true -1,true,false
 * RUN: explore %s --client '{a(1, 0); r(1, 0)} || {r(1, 0)}' -- \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: -1,false,true -1,true,false -1,true,true
 * RUN: explore %s --client '{a(0, 1); r(0, 1); r(0, 0)} || {r(0, 1)}'
 * EXIT: 0
 * OUTCOMES: -1,false,false,true -1,true,false,false
 * RUN: explore %s --client '{a(0, 1); r(0, 1); r(0, 0)} || {r(0, 1)}' -- \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: -1,false,false,true -1,true,false,false -1,true,false,true
 * RUN: explore %s --client '{a(0, 1); r(0, 1)} || {a(0, 0)}'
 * EXIT: 0
 * OUTCOMES: 0,true,-1 -1,false,1 -1,true,-1
 * RUN: explore %s --client '{a(0, 1); r(0, 1)} || {a(0, 0)}' -- -DADD_SHRUNK \
 *     -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: 0,true,-1 -1,false,1 -1,true,-1 -1,true,1
 * RUN: explore %s --client '{r(1, 0)} || {a(1, 0); a(1, 1); a(1, 0)}'
 * EXIT: 0
 * OUTCOMES: false,-1,0,1 true,-1,0,1 true,-1,-1,1
 * RUN: explore %s --client '{r(1, 0)} || {a(1, 0); a(1, 1); a(1, 0)}' -- \
 *     -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,-1,0,1 true,-1,0,1 true,-1,-1,1 true,-1,0,-1
 * RUN: explore %s --client '{r(1, 0); a(0, 1)} || {a(0, 0); r(0, 0)}'
 * EXIT: 0
 * OUTCOMES: false,0,-1,false false,-1,1,true false,-1,-1,true
 * RUN: explore %s --client '{r(1, 0); a(0, 1)} || {a(0, 0); r(0, 0)}' -- \
 *     -DADD_SHRUNK -DREMOVE_SHRUNK
 * EXIT: 1
 * OUTCOMES: false,0,-1,false false,-1,1,true false,-1,-1,true \
 *     false,0,-1,true
 * RUN: %s --client 'a(1, 0); {r(1, 0)} || {a(0, 0)}' -- -DREMOVE_SHRUNK \
 *     -DRELOCK
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { NOTHING = -1 };

struct node {
  int key;
  atomic_int item;
  atomic_bool valid;
  _Atomic(struct node *) pred, succ;
  pthread_mutex_t succ_lock; /* of succ, and of its pred */
  _Atomic(struct node *) parent, left, right;
  atomic_int left_height, right_height;
  pthread_mutex_t tree_lock;
};

/* The tree hangs under the left of root, which is the last of the list. */
struct map {
  struct node *root;
};

static struct node *node_new(int key, int item, struct node *pred,
                             struct node *succ, struct node *parent) {
  struct node *n = calloc(1, sizeof *n);
  n->key = key;
  atomic_init(&n->item, item);
  atomic_init(&n->valid, true);
  atomic_init(&n->pred, pred);
  atomic_init(&n->succ, succ);
  atomic_init(&n->parent, parent);
  pthread_mutex_init(&n->succ_lock, NULL);
  pthread_mutex_init(&n->tree_lock, NULL);
  return n;
}

static struct map *map_new(void) {
  struct map *m = malloc(sizeof *m);
  struct node *first = node_new(INT_MIN, NOTHING, NULL, NULL, NULL);
  m->root = node_new(INT_MAX, NOTHING, first, NULL, first);
  first->succ = m->root;
  first->right = m->root;
  return m;
}

static void lock(struct node *n) { pthread_mutex_lock(&n->tree_lock); }
static void unlock(struct node *n) { pthread_mutex_unlock(&n->tree_lock); }

static bool try_lock(struct node *n) {
  return pthread_mutex_trylock(&n->tree_lock) == 0;
}

static void unlock_if(struct node *n) {
  if (n)
    unlock(n);
}

static int compare(int a, int b) { return (a > b) - (a < b); }

/* Locks the parent of n, which is locked itself. */
static struct node *lock_parent(struct node *n) {
  struct node *p = n->parent;
  lock(p);
  while (n->parent != p || !p->valid) {
    unlock(p);
    p = n->parent;
    while (!p->valid) {
      sched_yield();
      p = n->parent;
    }
    lock(p);
  }
  return p;
}

static int balance(struct node *n) { return n->left_height - n->right_height; }

static int height(struct node *n) {
  int l, r;
  if (!n)
    return 0;
  l = n->left_height;
  r = n->right_height;
  return (l > r ? l : r) + 1;
}

static bool set_height(struct node *n, bool left, int h) {
  atomic_int *at = left ? &n->left_height : &n->right_height;
  bool changed = *at != h;
  if (changed)
    *at = h;
  return changed;
}

/* Puts child, which may be NULL, where old was; tells whether on the left. */
static bool replace_child(struct node *parent, struct node *old,
                          struct node *child) {
  bool left = parent->left == old;
  if (child)
    child->parent = parent;
  if (left)
    parent->left = child;
  else
    parent->right = child;
  return left;
}

/* Child, which is on the left of n or not, goes above n. */
static void rotate(struct node *child, struct node *n, struct node *parent,
                   bool left) {
  struct node *inner = left ? child->right : child->left;
  replace_child(parent, n, child);
  n->parent = child;
  if (inner)
    inner->parent = n;
  if (left) {
    n->left = inner;
    child->right = n;
  } else {
    n->right = inner;
    child->left = n;
  }
  set_height(n, left, height(inner));
  set_height(child, !left, height(n));
}

/* After a lock could not be had: lets others go on, then locks n again and its
 * higher child.  False, and nothing is locked: n was removed. */
static bool lock_again(struct node *n, struct node **child, bool *left) {
  for (;;) {
    unlock(n);
    sched_yield();
    lock(n);
    if (!n->valid) {
      unlock(n);
      return false;
    }
    *left = balance(n) > 0;
    *child = *left ? n->left : n->right;
    if (!*child || try_lock(*child))
      return true;
  }
}

/* Makes the child on the higher side of n the child, locked, and makes it lean
 * to that side.  False: a lock could not be had; child is NULL. */
static bool prepare_rotation(struct node *n, struct node **child, bool *left) {
  struct node *grand;
  if (!*child || *left != (balance(n) > 0)) {
    unlock_if(*child);
    *left = balance(n) > 0;
    *child = *left ? n->left : n->right;
    if (!try_lock(*child)) {
      *child = NULL;
      return false;
    }
  }
  if (*left ? balance(*child) >= 0 : balance(*child) <= 0)
    return true;
  grand = *left ? (*child)->right : (*child)->left;
  if (!try_lock(grand)) {
    unlock(*child);
    *child = NULL;
    return false;
  }
  rotate(grand, *child, n, !*left);
  unlock(*child);
  *child = grand;
  return true;
}

/* n and child, which may be NULL, are locked, and the height of child may have
 * changed.  Goes up and rotates; unlocks them. */
static void rebalance(struct map *m, struct node *n, struct node *child,
                      bool left) {
  while (n != m->root) {
    bool changed = set_height(n, left, height(child));
    if (!changed && abs(balance(n)) < 2)
      break;
    while (abs(balance(n)) >= 2) {
      if (!prepare_rotation(n, &child, &left)) {
        if (!lock_again(n, &child, &left))
          return;
        continue;
      }
      struct node *parent = lock_parent(n);
      rotate(child, n, parent, left);
      unlock(parent);
      if (abs(balance(n)) >= 2) {
        unlock(child);
        child = NULL;
      } else {
        struct node *below = n;
        n = child;
        child = below;
        left = n->left == child;
      }
    }
    unlock_if(child);
    child = n;
    n = lock_parent(child);
    left = n->left == child;
  }
  unlock_if(child);
  unlock(n);
}

/* The node that gets the new one as a child, locked. */
static struct node *choose_parent(struct node *pred, struct node *succ,
                                  struct node *n) {
  struct node *candidate = n == pred || n == succ ? n : pred;
  for (;;) {
    lock(candidate);
    if (candidate == pred ? !candidate->right : !candidate->left)
      return candidate;
    unlock(candidate);
    candidate = candidate == pred ? succ : pred;
    sched_yield();
  }
}

static void insert_to_tree(struct map *m, struct node *n, struct node *parent,
                           bool right) {
  if (right)
    parent->right = n;
  else
    parent->left = n;
  set_height(parent, !right, 1);
  if (parent == m->root) {
    unlock(parent);
  } else {
    struct node *grand = lock_parent(parent);
    rebalance(m, grand, parent, grand->left == parent);
  }
}

static int a(struct map *m, int k, int v) {
  struct node *node, *child, *pred, *succ, *parent, *n;
  int res, pred_res, old;
  for (;;) {
    node = m->root;
    res = -1;
    while (res != 0) {
      if (res > 0)
        child = node->right; /* line 256 */
      else
        child = node->left; /* line 258 */
      if (!child)
        break;
      node = child;
      res = compare(k, node->key); /* line 262 */
    }
    pred = res > 0 ? node : node->pred;   /* line 265 */
    pthread_mutex_lock(&pred->succ_lock); /* line 266 */
    if (!pred->valid)                     /* line 267 */
      goto again;
#ifdef ADD_SHRUNK
    pthread_mutex_unlock(&pred->succ_lock);
#endif
    pred_res = compare(k, pred->key); /* line 268 */
    if (pred_res <= 0)                /* line 270 */
      goto retry;
    succ = pred->succ;           /* line 271 */
    res = compare(k, succ->key); /* line 272 */
    if (res > 0)                 /* line 274 */
      goto retry;
    if (res == 0) {
      old = succ->item; /* line 276 */
      succ->item = v;   /* line 279 */
#ifndef ADD_SHRUNK
      pthread_mutex_unlock(&pred->succ_lock); /* line 281 */
#endif
      return old;
    }
    parent = choose_parent(pred, succ, node); /* line 288 */
    n = node_new(k, v, pred, succ, parent);   /* line 289 */
    succ->pred = n;                           /* line 290 */
    pred->succ = n;                           /* line 291 */
#ifndef ADD_SHRUNK
    pthread_mutex_unlock(&pred->succ_lock); /* line 292 */
#endif
    insert_to_tree(m, n, parent, parent == pred); /* line 293 */
    return NOTHING;
  retry:
#ifdef ADD_SHRUNK
    continue;
#endif
  again:
    pthread_mutex_unlock(&pred->succ_lock); /* line 298 */
  }
}

/* Locks n and what its removal from the tree changes.  Returns the node that
 * goes to its place, or NULL if n has one child at most. */
static struct node *acquire_tree_locks(struct node *n) {
  for (;; sched_yield()) {
    struct node *left, *right, *s, *p, *r;
    lock(n);
    right = n->right;
    left = n->left;
    if (!right || !left) {
      struct node *only = right ? right : left;
      if (!only || try_lock(only))
        return NULL;
      unlock(n);
      continue;
    }
    s = n->succ;
    p = s->parent;
    if (p != n) {
      if (!try_lock(p)) {
        unlock(n);
        continue;
      }
      if (s->parent != p || !p->valid) {
        unlock(p);
        unlock(n);
        continue;
      }
    }
    if (try_lock(s)) {
      r = s->right;
      if (!r || try_lock(r))
        return s;
      unlock(s);
    }
    if (p != n)
      unlock(p);
    unlock(n);
  }
}

static void remove_with_child(struct map *m, struct node *n,
                              struct node *parent) {
  struct node *child = n->right ? n->right : n->left;
  bool left = replace_child(parent, n, child);
  unlock(n);
  rebalance(m, parent, child, left);
}

/* s, the next in the list, goes to the place of n. */
static void remove_with_successor(struct map *m, struct node *n, struct node *s,
                                  struct node *parent) {
  struct node *old_parent = s->parent, *old_right = s->right, *child;
  bool left = old_parent != n, leans;
  replace_child(old_parent, s, old_right);
  s->left_height = atomic_load(&n->left_height);
  s->right_height = atomic_load(&n->right_height);
  s->left = atomic_load(&n->left);
  s->left->parent = s;
  s->right = atomic_load(&n->right);
  if (s->right)
    s->right->parent = s;
  replace_child(parent, n, s);
  leans = abs(balance(s)) >= 2;
  if (left)
    unlock(s);
  else
    old_parent = s;
  unlock(n);
  unlock(parent);
  rebalance(m, old_parent, old_right, left);
  if (!leans)
    return;
  lock(s);
  if (lock_again(s, &child, &left))
    rebalance(m, s, child, left);
}

static void remove_from_tree(struct map *m, struct node *n, struct node *s,
                             struct node *parent) {
  if (s)
    remove_with_successor(m, n, s, parent);
  else
    remove_with_child(m, n, parent);
}

static bool r(struct map *m, int k, int v) {
  struct node *node, *child, *pred, *succ, *successor, *parent, *behind;
  int res, pred_res, old;
  for (;;) {
    node = m->root;
    res = -1;
    while (res != 0) {
      if (res > 0)
        child = node->right; /* line 421 */
      else
        child = node->left; /* line 423 */
      if (!child)
        break;
      node = child;
      res = compare(k, node->key); /* line 427 */
    }
    pred = res > 0 ? node : node->pred;   /* line 430 */
    pthread_mutex_lock(&pred->succ_lock); /* line 431 */
    if (!pred->valid)                     /* line 432 */
      goto again;
#ifdef REMOVE_SHRUNK
    pthread_mutex_unlock(&pred->succ_lock);
#endif
    pred_res = compare(k, pred->key); /* line 433 */
    if (pred_res <= 0)                /* line 435 */
      goto retry;
    succ = pred->succ;           /* line 436 */
    res = compare(k, succ->key); /* line 437 */
    if (res > 0)                 /* line 439 */
      goto retry;
    if (res < 0 || succ->item != v) { /* line 440 */
#ifndef REMOVE_SHRUNK
      pthread_mutex_unlock(&pred->succ_lock);
#endif
      return false;
    }
#ifndef REMOVE_SHRUNK
    pthread_mutex_lock(&succ->succ_lock); /* line 444 */
#endif
    successor = acquire_tree_locks(succ); /* line 445 */
#ifdef RELOCK
    pthread_mutex_lock(&pred->succ_lock);
    pthread_mutex_lock(&succ->succ_lock);
#endif
    parent = lock_parent(succ); /* line 446 */
    succ->valid = false;        /* line 447 */
    old = succ->item;           /* line 448 */
    behind = succ->succ;        /* line 449 */
    behind->pred = pred;        /* line 450 */
    pred->succ = behind;        /* line 451 */
#if !defined(REMOVE_SHRUNK) || defined(RELOCK)
    pthread_mutex_unlock(&succ->succ_lock); /* line 452 */
    pthread_mutex_unlock(&pred->succ_lock); /* line 453 */
#endif
    remove_from_tree(m, succ, successor, parent); /* line 454 */
    return old != NOTHING;
  retry:
#ifdef REMOVE_SHRUNK
    continue;
#endif
  again:
    pthread_mutex_unlock(&pred->succ_lock); /* line 459 */
  }
}

FL_OBJECT(map, map_new)
FL_OP(int, a, FL_INT(0, 1), FL_INT(0, 1))
FL_OP(bool, r, FL_INT(0, 1), FL_INT(0, 1))
