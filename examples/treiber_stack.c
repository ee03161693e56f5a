/*
 * Treiber's stack.  Nodes are never freed or used again, so that no pointer
 * that a slow thread remembers can become valid for a second time.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'push(1); {push(2); pop()} || {pop()} || {pop()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

struct stack {
  _Atomic(struct node *) top;
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = atomic_load(&s->top);
  while (!atomic_compare_exchange_weak(&s->top, &n->next, n))
    ;
}

static int pop(struct stack *s) {
  struct node *n = atomic_load(&s->top);
  while (n && !atomic_compare_exchange_weak(&s->top, &n, n->next))
    ;
  return n ? n->value : -1;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
