/*
 * Specifications that leave a choice, of a bag whose get() may hand out any
 * element: a relation, and a model that chooses.  BUG=1 hands one out twice;
 * BUG=2 says that there is none although there is one.
 *
 * RUN: %s --no-save --max-executions 3000 -- -DBUG=0
 * EXIT: 0
 * VERDICT: pass pass
 * RUN: %s --no-save -- -DBUG=1
 * EXIT: 1
 * FAULT: not-linearizable not-linearizable
 * CLIENT: put\(.\); \{get\(\)\} \|\| \{get\(\)\}
 * RUN: %s --no-save -- -DBUG=2
 * EXIT: 1
 * VERDICT: violation violation
 * RUN: explore %s --object related --no-save \
 *   --client 'put(1); put(2); {get()} || {get()}' -- -DBUG=0
 * EXIT: 0
 * OUTCOMES: -,-,1,2 -,-,2,1
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { KINDS = 3 };
struct bag {
  pthread_mutex_t lock;
  int n[KINDS];
};

static struct bag *create(void) {
  struct bag *b = calloc(1, sizeof *b);
  pthread_mutex_init(&b->lock, NULL);
  return b;
}

static void put(struct bag *b, int v) {
  pthread_mutex_lock(&b->lock);
  b->n[v]++;
  pthread_mutex_unlock(&b->lock);
}

static int get(struct bag *b) {
  int found = -1;
  pthread_mutex_lock(&b->lock);
  for (int v = BUG == 2 ? 1 : 0; v < KINDS && found < 0; v++)
    if (b->n[v])
      found = v;
  if (BUG == 1) {
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_lock(&b->lock);
  }
  if (found >= 0)
    b->n[found]--;
  pthread_mutex_unlock(&b->lock);
  return found;
}

struct model {
  int n[KINDS];
};
static struct model *model_new(void) { return calloc(1, sizeof(struct model)); }
static int kinds(const struct model *m) {
  int sum = 0;
  for (int v = 0; v < KINDS; v++)
    sum += m->n[v] > 0;
  return sum;
}

static bool allows_put(struct model *m, int v) {
  m->n[v]++;
  return true;
}
static bool allows_get(struct model *m, int result) {
  return result < 0 ? !kinds(m) : m->n[result]-- > 0;
}

static void model_put(struct model *m, int v) { m->n[v]++; }
static int model_get(struct model *m) {
  if (!kinds(m))
    return -1;
  int v = -1;
  for (int left = 1 + fl_choose(kinds(m)); left; left -= m->n[v] > 0)
    v++;
  m->n[v]--;
  return v;
}

FL_OBJECT(related, create)
FL_OP(void, put, FL_INT(0, 2))
FL_OP(int, get)
FL_SPEC(relation, model_new, put = allows_put, get = allows_get)

FL_OBJECT(chosen, create)
FL_OP(void, put, FL_INT(0, 2))
FL_OP(int, get)
FL_SPEC(model, model_new, put = model_put, get = model_get)
