/*
 * The stack of Afek, Gafni and Morrison with its swap taken apart, Figure 1 of
 * "Root Causing Linearizability Violations": push takes the next index, then
 * stores there; pop goes down from the top and takes the first value it meets.
 *
 * Faultline: not linearizable.  Two pops can both read the same value at
 * "read" before either clears the cell at "clear"; or a pop's clear wipes out
 * a value that was stored after its read.  The published algorithm swaps.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: read
 * LINE: clear
 * RUN: %s --client '{push(1)} || {push(2); pop()} || {pop()}'
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 64, EMPTY = 0 };

struct stack {
  atomic_int range;
  int items[SIZE];
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int x) {
  int i = atomic_fetch_add(&s->range, 1);
  s->items[i] = x;
}

static int pop(struct stack *s) {
  int top = atomic_load(&s->range) - 1;
  for (int i = top; i >= 0; i--) {
    int x = s->items[i]; /* read */
    s->items[i] = EMPTY; /* clear */
    if (x != EMPTY)
      return x;
  }
  return EMPTY;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = 0)
