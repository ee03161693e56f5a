/*
 * Treiber's stack, nodes never freed.  PUSHERS push once, POPPERS pop once,
 * BOTH push and then pop.  tests/agree/dpor_dfs.c knows the numbers of traces.
 *
 * RUN: explore --search=dpor --no-real-time %s -- -DPUSHERS=2 -DPOPPERS=2
 * VERDICT: pass
 * EXECUTIONS: 164
 * RUN: explore --search=dpor --no-real-time %s -- -DPUSHERS=0 -DPOPPERS=0 -DBOTH=3
 * VERDICT: pass
 * EXECUTIONS: 25680
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef PUSHERS
#define PUSHERS 1
#endif
#ifndef POPPERS
#define POPPERS 1
#endif
#ifndef BOTH
#define BOTH 0
#endif

enum { THREADS = PUSHERS + POPPERS + BOTH };

struct node {
  int value;
  struct node *below;
};

static struct node nodes[THREADS];
static _Atomic(struct node *) top;
static int popped[THREADS];

static void push(struct node *n, int value) {
  n->value = value;
  struct node *seen = atomic_load(&top);
  do
    n->below = seen;
  while (!atomic_compare_exchange_strong(&top, &seen, n));
}

static int pop(void) {
  struct node *seen = atomic_load(&top);
  while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->below))
    ;
  return seen ? seen->value : -1;
}

static void *pusher(void *arg) {
  long i = (long)arg;
  push(&nodes[i], (int)i + 1);
  return NULL;
}

static void *popper(void *arg) {
  popped[(long)arg] = pop();
  return NULL;
}

static void *both(void *arg) {
  pusher(arg);
  return popper(arg);
}

int main(void) {
  pthread_t thread[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL,
                   i < PUSHERS             ? pusher
                   : i < PUSHERS + POPPERS ? popper
                                           : both,
                   (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
