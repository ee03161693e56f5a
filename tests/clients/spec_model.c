/*
 * A model in C as the specification of a bounded buffer: calls that wait, texts
 * and pointers as results, a model that keeps blocks, and one that uses a
 * static variable.  BUG=1 hands out the newest; BUG=2
 * loses an element that is put while another one is taken; BUG=3 returns where
 * the model says that the call waits.
 *
 * RUN: %s --no-save --max-executions 3000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save -- -DBUG=1
 * EXIT: 1
 * CLIENT: put\(1\); \{put\(2\)\} \|\| \{get\(\)\}
 * RUN: %s --no-save -- -DBUG=2
 * EXIT: 1
 * FAULT: not-linearizable
 * RUN: %s --no-save -- -DBUG=3
 * EXIT: 1
 * OUTPUT: get\(\) should wait, returned -1
 * RUN: explore %s --client 'put(1); {get()} || {get()}' -- -DBUG=0
 * EXIT: 0
 * OUTCOMES: -,1,- -,-,1
 * RUN: explore %s --client '{put(1)} || {name()} || {last()}' -- -DBUG=0
 * EXIT: 0
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node *next;
};
struct buffer {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  struct node *first, *last;
};

static struct buffer *create(void) {
  struct buffer *b = calloc(1, sizeof *b);
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->filled, NULL);
  return b;
}

static void put(struct buffer *b, int value) {
  struct node *n = malloc(sizeof *n);
  *n = (struct node){value, NULL};
#if BUG == 2
  bool empty = !b->first;
  pthread_mutex_lock(&b->lock);
#else
  pthread_mutex_lock(&b->lock);
  bool empty = !b->first;
#endif
  if (empty)
    b->first = n;
  else
    b->last->next = n;
  b->last = n;
  pthread_cond_signal(&b->filled);
  pthread_mutex_unlock(&b->lock);
}

static int get(struct buffer *b) {
  pthread_mutex_lock(&b->lock);
#if BUG != 3
  while (!b->first)
    pthread_cond_wait(&b->filled, &b->lock);
#endif
  struct node *n = b->first;
  int value = n ? n->value : -1;
#if BUG == 1
  value = b->last->value;
#endif
  if (n)
    b->first = n->next;
  pthread_mutex_unlock(&b->lock);
  return value;
}

static const char *name(struct buffer *b) {
  pthread_mutex_lock(&b->lock);
  const char *text = b->first ? "some" : "none";
  pthread_mutex_unlock(&b->lock);
  return text;
}

/* The node itself: the model's block of the same call stands for it. */
static struct node *last(struct buffer *b) {
  pthread_mutex_lock(&b->lock);
  struct node *n = b->first ? b->last : NULL;
  pthread_mutex_unlock(&b->lock);
  return n;
}

struct model {
  struct node *first;
};
static struct model *model_new(void) { return calloc(1, sizeof(struct model)); }
static void model_put(struct model *m, int value) {
  struct node **end = &m->first;
  while (*end)
    end = &(*end)->next;
  *end = malloc(sizeof **end);
  **end = (struct node){value, NULL};
}
static int model_get(struct model *m) {
  struct node *n = m->first;
  if (!n)
    fl_waits();
  int value = n->value;
  m->first = n->next;
  free(n);
  return value;
}
static const char *model_name(struct model *m) {
  static char text[8];
  sprintf(text, "%s", m->first ? "some" : "none");
  return text;
}
static struct node *model_last(struct model *m) {
  struct node *n = m->first;
  while (n && n->next)
    n = n->next;
  return n;
}

FL_OBJECT(buffer, create)
FL_OP(void, put, FL_INT(1, 2))
FL_OP(int, get, FL_BLOCKING)
FL_OP(const char *, name)
FL_OP(struct node *, last)
FL_SPEC(model, model_new, put = model_put, get = model_get, name = model_name,
        last = model_last)
