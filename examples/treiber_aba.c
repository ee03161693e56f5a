/*
 * Treiber's stack with the mistake that everybody makes once: pop frees its
 * node.  Another pop may still be about to follow the node's next pointer.
 *
 * Faultline: use after free.  With --heap=reuse, which like the C library gives
 * a thread the block that it freed last and lets freed memory be read, the
 * node comes back with the same address and another next.  The slow pop's
 * compare-and-swap succeeds although the stack has changed (ABA) and puts a
 * node that was popped on top again: not linearizable.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-free
 * LINE: next
 * RUN: %s --heap=reuse --client 'push(1); push(2); {pop()} || {pop(); \
 *     push(3)} || {pop()}; is_empty()'
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
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
  while (!atomic_compare_exchange_strong(&s->top, &n->next, n))
    ;
}

static int pop(struct stack *s) {
  struct node *n = atomic_load(&s->top);
  struct node *next;
  do {
    if (!n)
      return -1;
    next = n->next; /* next */
  } while (!atomic_compare_exchange_strong(&s->top, &n, next));
  int value = n->value;
  free(n);
  return value;
}

static bool is_empty(struct stack *s) { return !atomic_load(&s->top); }

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_OP(bool, is_empty)
FL_SPEC(stack, push = push, pop = pop, is_empty = is_empty, empty = -1)
