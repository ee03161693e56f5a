/*
 * The queue of Michael and Scott (PODC 1996), nodes never freed.  PUTTERS put
 * once, GETTERS get once.  tests/agree/dpor_dfs.c knows the numbers of traces.
 *
 * RUN: explore --search=dpor --no-real-time %s -- -DPUTTERS=2 -DGETTERS=1
 * VERDICT: pass
 * EXECUTIONS: 188
 * RUN: explore --search=dpor --no-real-time %s -- -DPUTTERS=2 -DGETTERS=2
 * VERDICT: pass
 * EXECUTIONS: 11198
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef PUTTERS
#define PUTTERS 1
#endif
#ifndef GETTERS
#define GETTERS 1
#endif

enum { THREADS = PUTTERS + GETTERS };

struct node {
  int value;
  _Atomic(struct node *) next;
};

static struct node nodes[PUTTERS], first;
static _Atomic(struct node *) head = &first, tail = &first;
static int got[THREADS];

static void put(struct node *n, int value) {
  n->value = value;
  atomic_store(&n->next, NULL);
  for (;;) {
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&last->next);
    if (last != atomic_load(&tail))
      continue;
    if (next) { /* help who has linked a node and not moved the tail */
      atomic_compare_exchange_strong(&tail, &last, next);
    } else if (atomic_compare_exchange_strong(&last->next, &next, n)) {
      atomic_compare_exchange_strong(&tail, &last, n);
      return;
    }
  }
}

static int get(void) {
  for (;;) {
    struct node *front = atomic_load(&head);
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&front->next);
    if (front != atomic_load(&head))
      continue;
    if (front != last) {
      int value = next->value;
      if (atomic_compare_exchange_strong(&head, &front, next))
        return value;
    } else if (!next) {
      return -1;
    } else {
      atomic_compare_exchange_strong(&tail, &last, next);
    }
  }
}

static void *putter(void *arg) {
  long i = (long)arg;
  put(&nodes[i], (int)i + 1);
  return NULL;
}

static void *getter(void *arg) {
  got[(long)arg] = get();
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, i < PUTTERS ? putter : getter, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
