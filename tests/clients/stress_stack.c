/*
 * Real threads: a push that forgets to look whether the top is still what it
 * read, and gives way in between when the stack has an element or more.  What
 * real threads find in clients of a thousand calls ends as a small client with
 * lines.  So does what the object itself, as its own specification, tells.
 *
 * Each push of a round that gives way does so to a thread that pushes and pops
 * too (turns.h), and what that one does is lost.
 *
 * RUN: %s --search=stress --object stack
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: ^(push\([0-9]\); )?\{(push\([0-9]\)|pop\(\))\} .. \{(push\([0-9]\)|pop\(\))\}; pop\(\)(; pop\(\))?$
 * OUTPUT: Smallest failing client
 * OUTPUT: History:
 * OUTPUT: Replay:
 * OUTPUT: repeated under the scheduler
 * LINE: read
 * LINE: write
 * RUN: %s --search=stress --object own --ops 60
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: repeated under the scheduler
 * LINE: read
 * LINE: write
 */
#include "turns.h"

#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int value;
};

struct stack {
  _Atomic(struct node *) top;
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static void push(struct stack *s, int value) {
  turn_begin();
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = atomic_load(&s->top); /* read */
  if (n->next)
    give_way();
  atomic_store(&s->top, n); /* write */
}

/* Nodes are not freed: two pops never get the same one twice in a row. */
static int pop(struct stack *s) {
  turn_begin();
  struct node *n = atomic_load(&s->top);
  while (n && !atomic_compare_exchange_weak(&s->top, &n, n->next))
    ;
  return n ? n->value : -1;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 4))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
TURNS

FL_OBJECT(own, stack_new, free)
FL_OP(void, push, FL_INT(1, 3))
FL_OP(int, pop)
TURNS
