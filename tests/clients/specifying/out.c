/*
 * A queue whose removals write what they take to a parameter: FL_OUT with a
 * built-in type, a model, a relation and the object itself.  BUG=1 takes
 * without the lock, BUG=2 writes the element behind it, BUG=3 writes none.
 *
 * CC: gcc
 * RUN: test %s --no-save --max-executions 7000 -- -DBUG=0
 * VERDICT: pass
 * RUN: test %s --no-save --max-executions 7000 -- -DBUG=0 -DMODEL
 * VERDICT: pass
 * RUN: test %s --no-save --max-executions 7000 -- -DBUG=0 -DRELATION
 * VERDICT: pass
 * RUN: test %s --no-save --max-executions 7000 -- -DBUG=0 -DOWN
 * VERDICT: pass
 * RUN: explore %s --no-save --client '{put(1)} || {try_get(); peek()}' -- \
 *     -DBUG=0
 * OUTPUT: "true, 1" +"-1" +1
 * OUTPUT: "false" +"0, 1" +1
 * RUN: test %s --no-save -- -DBUG=1
 * VERDICT: violation
 * OUTPUT: try_get\(\) should return "true, 1", returned "true, 0"
 * RUN: test %s --no-save -- -DBUG=2
 * VERDICT: violation
 * OUTPUT: should return "true, 1", returned "true, 0"
 * RUN: test %s --no-save -- -DBUG=3 -DMODEL
 * VERDICT: violation
 * OUTPUT: should return "true, 1", returned "true"
 * RUN: test %s --no-save -- -DBUG=1 -DRELATION
 * VERDICT: violation
 * OUTPUT: should return something else, returned "true, 0"
 * RUN: test %s --no-save -- -DBUG=1 -DOWN
 * VERDICT: violation
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8 };

struct queue {
  pthread_mutex_t lock;
  int n, at[ROOM];
};

static struct queue *queue_new(void) {
  struct queue *q = calloc(1, sizeof *q);
  pthread_mutex_init(&q->lock, NULL);
  return q;
}

static void put(struct queue *q, int v) {
  pthread_mutex_lock(&q->lock);
  q->at[q->n++] = v;
  pthread_mutex_unlock(&q->lock);
}

static bool try_get(struct queue *q, int *out) {
  if (BUG != 1)
    pthread_mutex_lock(&q->lock);
  bool any = q->n > 0;
  if (any) {
    if (BUG != 3)
      *out = q->at[BUG == 2];
    q->n--;
    for (int i = 0; i < q->n; i++)
      q->at[i] = q->at[i + 1];
  }
  if (BUG != 1)
    pthread_mutex_unlock(&q->lock);
  return any;
}

/* 0, or -1 when there is nothing. */
static int peek(struct queue *q, int *out) {
  pthread_mutex_lock(&q->lock);
  int status = q->n ? 0 : -1;
  if (q->n)
    *out = q->at[0];
  pthread_mutex_unlock(&q->lock);
  return status;
}

static void size(struct queue *q, unsigned *out) {
  pthread_mutex_lock(&q->lock);
  *out = (unsigned)q->n;
  pthread_mutex_unlock(&q->lock);
}

FL_OBJECT(queue, queue_new, free)
FL_OP(void, put, FL_DATA(1, 3))
FL_OP(bool, try_get, FL_OUT(int))
FL_OP(int, peek, FL_OUT(int))
FL_OP(void, size, FL_OUT(unsigned))

#if defined MODEL || defined RELATION
struct model {
  int n, at[ROOM];
};
static struct model *model_new(void) { return calloc(1, sizeof(struct model)); }
static void model_put(struct model *m, int v) { m->at[m->n++] = v; }
static bool model_get(struct model *m, int *out) {
  if (!m->n)
    return false;
  *out = m->at[0];
  m->n--;
  memmove(m->at, m->at + 1, (ROOM - 1) * sizeof *m->at);
  return true;
}
static int model_peek(struct model *m, int *out) {
  if (m->n)
    *out = m->at[0];
  return m->n ? 0 : -1;
}
static void model_size(struct model *m, unsigned *out) { *out = m->n; }
#endif
#ifdef MODEL
FL_SPEC(model, model_new, put = model_put, try_get = model_get,
        peek = model_peek, size = model_size)
#elif defined RELATION
/* Several results are one text. */
#include <stdio.h>
static bool allows_put(struct model *m, int v) { return model_put(m, v), true; }
static bool allows_get(struct model *m, const char *result) {
  char text[20] = "false";
  int v;
  if (model_get(m, &v))
    snprintf(text, sizeof text, "true, %d", v);
  return result && !strcmp(result, text);
}
static bool allows_peek(struct model *m, const char *result) {
  char text[20] = "-1";
  if (m->n)
    snprintf(text, sizeof text, "0, %d", m->at[0]);
  return result && !strcmp(result, text);
}
static bool allows_size(struct model *m, unsigned result) {
  return result == (unsigned)m->n;
}
FL_SPEC(relation, model_new, put = allows_put, try_get = allows_get,
        peek = allows_peek, size = allows_size)
#elif !defined OWN
FL_SPEC(queue, enqueue = put, dequeue = try_get, front = peek, size = size,
        ok = 0, empty = -1)
#endif
