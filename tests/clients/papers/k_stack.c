/*
 * KStack as the tests of coarse-grained localization have it: Treiber's stack
 * whose push does not look at the result of its compare-and-swap, but whether
 * the node on top lies on what it had read.  A push that lost to another one
 * that read the same believes that it has won (its value is lost); one that
 * has won and was covered by another believes that it has lost, and writes the
 * link of a node that others see.  If the stack was emptied in between, there
 * is no node on top to look at.  -DFIXED looks at the compare-and-swap.
 *
 * RUN: %s
 * EXIT: 1
 * CLIENT: push
 * LINE: K3
 * RUN: %s --client '{push(1)} || {push(2)}; pop(); pop()'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: K3
 * LINE: K5
 * RUN: %s --client '{push(1)} || {pop()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: crash
 * LINE: K4
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1 };

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct stack {
  _Atomic(struct node *) top;
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int value) {
  struct node *n = malloc(sizeof *n);
  struct node *o, *expected;
  n->value = value;
#ifdef FIXED
  do {
    o = atomic_load(&s->top);
    atomic_store(&n->next, o);
    expected = o;
  } while (!atomic_compare_exchange_strong(&s->top, &expected, n));
#else
  struct node *t;
  do {
    o = atomic_load(&s->top);  /* K1 */
    atomic_store(&n->next, o); /* K2 */
    expected = o;
    atomic_compare_exchange_strong(&s->top, &expected, n); /* K3 */
    t = atomic_load(&s->top);                              /* K4 */
  } while (atomic_load(&t->next) != o);                    /* K5 */
#endif
}

static int pop(struct stack *s) {
  struct node *o, *n;
  do {
    o = atomic_load(&s->top);
    if (!o)
      return EMPTY;
    n = atomic_load(&o->next);
  } while (!atomic_compare_exchange_strong(&s->top, &o, n));
  return o->value;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
