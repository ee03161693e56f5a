/*
 * The list set of Harris (DISC 2001) with the search of Michael (SPAA 2002):
 * the lowest bit of a link marks its node as removed.  All threads work on one
 * key; ADDERS add it, REMOVERS remove it, LOOKERS look for it, and PRESENT
 * says whether it is there at first.  tests/agree/dpor_dfs.c knows the numbers
 * of traces.
 *
 * RUN: explore --search=dpor --no-real-time %s -- -DADDERS=2
 * VERDICT: pass
 * EXECUTIONS: 38
 * RUN: explore --search=dpor --no-real-time %s -- -DLOOKERS=1 -DPRESENT=1
 * VERDICT: pass
 * EXECUTIONS: 102
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ADDERS
#define ADDERS 1
#endif
#ifndef REMOVERS
#define REMOVERS 1
#endif
#ifndef LOOKERS
#define LOOKERS 0
#endif
#ifndef PRESENT
#define PRESENT 0
#endif

enum { THREADS = ADDERS + REMOVERS + LOOKERS, KEY = 1 };

typedef _Atomic(uintptr_t) link;

struct node {
  int key;
  link next;
};

static struct node nodes[ADDERS + 1];
static link list;
static bool answer[THREADS];

static struct node *node_of(uintptr_t l) {
  return (struct node *)(l & ~(uintptr_t)1);
}

/* The link to the first node whose key is not below, and what it holds; nodes
 * that are marked are unlinked on the way. */
static bool find(int key, link **where, uintptr_t *what) {
restart:
  *where = &list;
  *what = atomic_load(*where);
  while (node_of(*what)) {
    struct node *n = node_of(*what);
    uintptr_t next = atomic_load(&n->next);
    int here = n->key;
    if (atomic_load(*where) != (uintptr_t)n)
      goto restart;
    if (next & 1) {
      uintptr_t expected = (uintptr_t)n;
      if (!atomic_compare_exchange_strong(*where, &expected, next & ~1ul))
        goto restart;
    } else {
      if (here >= key)
        return here == key;
      *where = &n->next;
    }
    *what = next & ~1ul;
  }
  return false;
}

static bool add(struct node *n, int key) {
  link *where;
  uintptr_t what;
  n->key = key;
  do {
    if (find(key, &where, &what))
      return false;
    atomic_store(&n->next, what);
  } while (!atomic_compare_exchange_strong(where, &what, (uintptr_t)n));
  return true;
}

static bool drop(int key) {
  link *where;
  uintptr_t what, next;
  do {
    if (!find(key, &where, &what))
      return false;
    next = atomic_load(&node_of(what)->next);
  } while (next & 1 || !atomic_compare_exchange_strong(&node_of(what)->next,
                                                       &next, next | 1));
  if (!atomic_compare_exchange_strong(where, &what, next))
    find(key, &where, &what);
  return true;
}

static void *adder(void *arg) {
  long i = (long)arg;
  answer[i] = add(&nodes[i], KEY);
  return NULL;
}

static void *remover(void *arg) {
  answer[(long)arg] = drop(KEY);
  return NULL;
}

static void *looker(void *arg) {
  link *where;
  uintptr_t what;
  answer[(long)arg] = find(KEY, &where, &what);
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  if (PRESENT)
    add(&nodes[ADDERS], KEY);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL,
                   i < ADDERS              ? adder
                   : i < ADDERS + REMOVERS ? remover
                                           : looker,
                   (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
