/*
 * A list that is read without locks, as in RCU: writers take a lock, publish
 * with one store, and free a node only when no reader can still be at it.  Here
 * readers count themselves, and a writer waits until all are out.
 *
 * Wrong: the node is freed as soon as it is unlinked.  "Nobody can find it any
 * more" is true, but somebody may have found it before.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: use-after-free
 * BLAME: free
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  int key;
  _Atomic(struct node *) next;
};

static _Atomic(struct node *) head;
static atomic_int readers;
static pthread_mutex_t writer = PTHREAD_MUTEX_INITIALIZER;

static void wait_for_readers(void) {
  while (atomic_load(&readers))
    ;
}

static bool contains(int key) {
  bool found = false;
  atomic_fetch_add(&readers, 1);
  for (struct node *n = atomic_load(&head); n && !found;
       n = atomic_load(&n->next))
    found = n->key == key;
  atomic_fetch_sub(&readers, 1);
  return found;
}

/* Where the key's node hangs, or NULL; the writer's lock is held. */
static _Atomic(struct node *) *find(int key) {
  _Atomic(struct node *) *at = &head;
  for (struct node *n; (n = atomic_load(at)); at = &n->next)
    if (n->key == key)
      return at;
  return NULL;
}

static bool add(int key) {
  pthread_mutex_lock(&writer);
  bool fresh = !find(key);
  if (fresh) {
    struct node *n = malloc(sizeof *n);
    n->key = key;
    atomic_init(&n->next, atomic_load(&head));
    atomic_store(&head, n);
  }
  pthread_mutex_unlock(&writer);
  return fresh;
}

static bool remove_key(int key) {
  pthread_mutex_lock(&writer);
  _Atomic(struct node *) *at = find(key);
  if (at) {
    struct node *n = atomic_load(at);
    atomic_store(at, atomic_load(&n->next));
#ifndef WRONG
    wait_for_readers();
#else
    (void)wait_for_readers;
#endif
    free(n); /* free */
  }
  pthread_mutex_unlock(&writer);
  return at;
}

FL_OBJECT(list)
FL_OP(bool, contains, FL_INT(1, 2))
FL_OP(bool, add, FL_INT(1, 2))
FL_OP(bool, remove_key, FL_INT(1, 2))
FL_SPEC(set, contains = contains, add = add, remove = remove_key)
