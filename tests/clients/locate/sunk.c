/*
 * A list with locks and without validation.  The level is computed before the
 * loop, but compilers put that off to where it is needed: control that comes
 * there has not left the round.
 *
 * RUN: explore %s -v --width=400 --client '{add(1)} || {add(1)}'
 * VERDICT: violation
 * OUTPUT: 1\. lines 46-54 of sunk.c, in add\(\), in each round of the loop in \
 *     lines 45-56
 * OUTPUT: Searched again without interrupting them: no fault
 */
#include <faultline.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LEVELS = 2 };

struct node {
  pthread_mutex_t lock;
  int key, top;
  struct node *next[LEVELS];
};

static struct node tail = {PTHREAD_MUTEX_INITIALIZER, INT_MAX, LEVELS, {0}};
static struct node head = {
    PTHREAD_MUTEX_INITIALIZER, INT_MIN, LEVELS, {&tail, &tail}};

static bool find(int key, struct node **pred, struct node **succ) {
  struct node *p = &head;
  for (int l = LEVELS; l-- > 0;) {
    struct node *n = __atomic_load_n(&p->next[l], __ATOMIC_ACQUIRE);
    for (; n->key < key; n = __atomic_load_n(&p->next[l], __ATOMIC_ACQUIRE))
      p = n;
    pred[l] = p;
    succ[l] = n;
  }
  return succ[0]->key == key;
}

static bool add(int key) {
  struct node *pred[LEVELS], *succ[LEVELS];
  int top = key % 2 + 1;
  for (;;) {
    if (find(key, pred, succ))
      return false;
    struct node *n = calloc(1, sizeof *n);
    n->key = key;
    n->top = top;
    for (int l = 0; l < top; l++)
      n->next[l] = succ[l];
    for (int l = 0; l < top; l++)
      __atomic_store_n(&pred[l]->next[l], n, __ATOMIC_RELEASE);
    return true;
  }
}

FL_OBJECT(list)
FL_OP(bool, add, FL_INT(1, 1))
