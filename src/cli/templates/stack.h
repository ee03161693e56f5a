/* A stack of at most STACK_SIZE numbers, for any number of threads. */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>

enum { STACK_SIZE = 8, STACK_EMPTY = -1 };

struct stack;
struct stack *stack_new(void);
void stack_free(struct stack *s);
bool stack_push(struct stack *s, int value); /* false: it is full */
int stack_pop(struct stack *s);              /* or STACK_EMPTY */

#endif
