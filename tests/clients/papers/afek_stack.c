/*
 * Afek's stack: the stack of Afek, Gafni and Morrison with its swap taken
 * apart, Figure 1 of "Root Causing Linearizability Violations"; the lines are
 * numbered as there.  Two pops both read a value before one of them clears its
 * cell, or the clearing wipes out what was stored after the read.  -DFIXED has
 * the swap of the published algorithm.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 8
 * LINE: line 9
 * RUN: %s --client '{push(1)} || {push(2); pop()} || {pop()}'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: line 8
 * LINE: line 9
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{push(1)} || {push(2); pop()} || {pop()}' -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 64, EMPTY = 0 };

struct stack {
  atomic_int range;
  atomic_int items[SIZE];
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int x) {
  int i = atomic_fetch_add(&s->range, 1); /* line 2 */
  atomic_store(&s->items[i], x);          /* line 3 */
}

static int pop(struct stack *s) {
  int t = atomic_load(&s->range) - 1; /* line 5 */
  int x = EMPTY;
  for (int i = t; i >= 0; i--) { /* line 7 */
#ifdef FIXED
    x = atomic_exchange(&s->items[i], EMPTY);
#else
    x = atomic_load(&s->items[i]);     /* line 8 */
    atomic_store(&s->items[i], EMPTY); /* line 9 */
#endif
    if (x != EMPTY) /* line 10 */
      break;
  }
  return x; /* line 11 */
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = 0)
