/*
 * Treiber's stack with nodes that are used again, as in Bouajjani et al. (POPL
 * 2015): each thread keeps the nodes that it popped and takes the oldest of
 * them for a push.  A pop that has read top and the node below waits while
 * another thread pops both and pushes the first one again; its
 * compare-and-swap then succeeds although the stack has changed (ABA), and
 * puts a node that was popped on top.  The value is read behind the
 * compare-and-swap, so that it takes six calls.  -DFIXED counts the changes of
 * top next to the pointer.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s --client 'push(1); push(2); {pop()} || {pop(); pop(); push(3)}; \
 *     pop()'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: next
 * LINE: cas
 * RUN: explore %s --client 'push(1); push(2); {pop()} || {pop(); pop(); \
 *     push(3)}'
 * OUTCOMES: -,-,-1,2,1,- -,-,1,2,-1,- -,-,2,1,-1,- -,-,3,2,1,-
 * RUN: %s --client 'push(1); push(2); {pop()} || {pop(); push(3)}; pop(); \
 *     pop()'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'push(1); push(2); {pop()} || {pop(); pop(); push(3)}; \
 *     pop()' -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { EMPTY = -1, SHIFT = 48, SPARE = 16 };

struct node {
  int value;
  struct node *next;
};

/* What a thread has popped and not used again: nodes[first] is the oldest.
 * Their next is left as it is: others may still read it. */
struct spare {
  int first, end;
  struct node *nodes[SPARE];
};

/* The address of the top node and, above it, how often it was changed. */
struct stack {
  _Atomic(uint64_t) top;
};

static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }

static struct node *node_of(uint64_t top) {
  return (struct node *)(top & (((uint64_t)1 << SHIFT) - 1));
}

/* The word that makes n the top instead of old. */
static uint64_t top_after(uint64_t old, struct node *n) {
#ifdef FIXED
  return ((old >> SHIFT) + 1) << SHIFT | (uint64_t)n;
#else
  (void)old;
  return (uint64_t)n;
#endif
}

static void *enter(struct stack *s) {
  (void)s;
  return calloc(1, sizeof(struct spare));
}

static struct node *node_get(struct spare *mine) {
  if (mine->first == mine->end)
    return malloc(sizeof(struct node));
  return mine->nodes[mine->first++];
}

static void node_put(struct spare *mine, struct node *n) {
  if (mine->end < SPARE)
    mine->nodes[mine->end++] = n;
}

static void push(struct stack *s, int value) {
  struct node *n = node_get(fl_thread());
  uint64_t o;
  n->value = value;
  do {
    o = atomic_load(&s->top);
    n->next = node_of(o);
  } while (!atomic_compare_exchange_strong(&s->top, &o, top_after(o, n)));
}

static int pop(struct stack *s) {
  uint64_t o, want;
  struct node *n;
  int value;
  do {
    o = atomic_load(&s->top); /* top */
    if (!node_of(o))
      return EMPTY;
    n = node_of(o)->next; /* next */
    want = top_after(o, n);
  } while (!atomic_compare_exchange_strong(&s->top, &o, want)); /* cas */
  value = node_of(o)->value;                                    /* value */
  node_put(fl_thread(), node_of(o));
  return value;
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
FL_THREAD(enter)
