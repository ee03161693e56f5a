/*
 * TBStack: Treiber's stack whose pop does not look at the result of its
 * compare-and-swap: two pops return one value.  -DFIXED tries again.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: pop.*pop
 * LINE: cas
 * RUN: explore %s --client 'push(1); {pop()} || {pop()}'
 * OUTCOMES: -,1,-1 -,-1,1 -,1,1
 * RUN: %s --no-reduction
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1 };

struct node {
  int item;
  struct node *next;
};

struct stack {
  _Atomic(struct node *) top;
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int item) {
  struct node *n = malloc(sizeof *n);
  struct node *o;
  n->item = item;
  do {
    o = atomic_load(&s->top);
    n->next = o;
  } while (!atomic_compare_exchange_strong(&s->top, &o, n));
}

static int pop(struct stack *s) {
  struct node *o, *n;
#ifdef FIXED
  do {
    o = atomic_load(&s->top);
    if (!o)
      return EMPTY;
    n = o->next;
  } while (!atomic_compare_exchange_strong(&s->top, &o, n));
  return o->item;
#else
  struct node *expected;
  o = atomic_load(&s->top); /* top */
  if (!o)
    return EMPTY;
  n = o->next; /* next */
  expected = o;
  atomic_compare_exchange_strong(&s->top, &expected, n); /* cas */
  return o->item;
#endif
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
