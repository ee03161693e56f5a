#ifndef STACK_H
#define STACK_H

struct stack;
struct stack *stack_new(void);
void stack_free(struct stack *s);
void stack_push(struct stack *s, int value);
int stack_pop(struct stack *s);

#endif
