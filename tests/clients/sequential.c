/*
 * A "stack" that hands out its oldest value: wrong without any concurrency,
 * and reported as that.
 *
 * RUN: %s
 * EXIT: 1
 * FAULT: sequential
 */
#include <faultline.h>
#include <stdlib.h>

struct stack {
  int first;
  int count;
  int values[64];
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int v) { s->values[s->count++] = v; }

static int pop(struct stack *s) {
  return s->first < s->count ? s->values[s->first++] : -1;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
