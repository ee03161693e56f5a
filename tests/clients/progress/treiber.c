/*
 * A compare-and-swap fails only where another one has succeeded.  But it may
 * fail as often as there are others.
 *
 * RUN: %s --threads=2 --ops=2 --init=1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --threads=2 --ops=2 --init=1 -- -DSTEPS=3
 * EXIT: 1
 * FAULT: progress
 * CLIENT: push
 * OUTPUT: push\(\) is not wait-free in 3 steps: here it goes on to step 4
 * RUN: %s --client '{push(1)} || {push(2)}' -- -DSTEPS=4
 * EXIT: 1
 * FAULT: progress
 * OUTPUT: goes on to step 5
 * OUTPUT: cas failed
 * RUN: %s --client '{push(1)} || {push(2)}' -- -DSTEPS=6
 * EXIT: 0
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
  struct node *n = malloc(sizeof *n), *top = atomic_load(&s->top);
  n->value = value;
  do
    n->next = top;
  while (!atomic_compare_exchange_strong(&s->top, &top, n));
}

static int pop(struct stack *s) {
  struct node *n = atomic_load(&s->top);
  while (n && !atomic_compare_exchange_strong(&s->top, &n, n->next))
    ;
  return n ? n->value : -1;
}

FL_OBJECT(stack, stack_new)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
#ifdef STEPS
FL_PROGRESS(wait_free, STEPS)
#else
FL_PROGRESS(lock_free)
#endif
