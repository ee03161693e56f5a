/*
 * Set-up and what comes behind the threads are not bounded by --max-steps: a
 * table of 20,000 elements that is written when it is made, looked at by the
 * invariant and cleared when it is destroyed.  Nor is what each thread does
 * before its first call.
 *
 * CC: gcc
 * RUN: %s --threads 2 --ops 1 --init 1 --max-steps 100
 * EXIT: 0
 * VERDICT: pass
 * NOOUTPUT: cut at
 */
#include <faultline.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 20000 };
struct table {
  pthread_mutex_t m;
  volatile long slot[N];
};

static struct table *table_new(void) {
  struct table *t = malloc(sizeof *t);
  pthread_mutex_init(&t->m, NULL);
  for (int i = 0; i < N; i++)
    t->slot[i] = -1;
  return t;
}

static int is_well(struct table *t) {
  for (int i = 0; i < N; i++)
    if (t->slot[i] != -1 && t->slot[i] != i)
      return 0;
  return 1;
}

static void table_free(struct table *t) {
  for (int i = 0; i < N; i++)
    t->slot[i] = 0;
  free(t);
}

static void *enter(struct table *t) {
  for (int i = 0; i < 1000; i++)
    (void)t->slot[i];
  return NULL;
}
static void leave(struct table *t, void *data) { (void)t, (void)data; }

static int put(struct table *t, int v) {
  pthread_mutex_lock(&t->m);
  int fresh = t->slot[v] < 0;
  t->slot[v] = v;
  pthread_mutex_unlock(&t->m);
  return fresh;
}

FL_OBJECT(table, table_new, table_free)
FL_INVARIANT(is_well)
FL_THREAD(enter, leave)
FL_OP(int, put, FL_INT(1, 2))
