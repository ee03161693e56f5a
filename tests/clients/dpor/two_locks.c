/*
 * The queue with two locks of Michael and Scott (PODC 1996): who puts and who
 * gets exclude their own kind only.  PUTTERS put once, GETTERS get once.
 * tests/agree/dpor_dfs.c knows the numbers of traces.
 *
 * RUN: explore --search=dpor --no-real-time %s -- -DPUTTERS=3 -DGETTERS=3
 * VERDICT: pass
 * EXECUTIONS: 288
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
  _Atomic(struct node *) next; /* of the last node: both kinds meet here */
};

static struct node nodes[PUTTERS], first, *head = &first, *tail = &first;
static pthread_mutex_t at_head = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t at_tail = PTHREAD_MUTEX_INITIALIZER;
static int got[THREADS];

static void put(struct node *n, int value) {
  n->value = value;
  atomic_store(&n->next, NULL);
  pthread_mutex_lock(&at_tail);
  atomic_store(&tail->next, n);
  tail = n;
  pthread_mutex_unlock(&at_tail);
}

static int get(void) {
  int value = -1;
  pthread_mutex_lock(&at_head);
  struct node *next = atomic_load(&head->next);
  if (next) {
    value = next->value;
    head = next;
  }
  pthread_mutex_unlock(&at_head);
  return value;
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
