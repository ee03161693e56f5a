#include "stack.h"

#include <stdlib.h>

struct stack {
  int count;
  int values[CAPACITY];
};

struct stack *stack_new(void) {
  return calloc(1, sizeof(struct stack));
}

void stack_free(struct stack *s) { free(s); }

void stack_push(struct stack *s, int value) { s->values[s->count++] = value; }

int stack_pop(struct stack *s) {
  if (s->count == 0)
    return -1;
  return s->values[--s->count];
}
