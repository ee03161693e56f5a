/*
 * The k-stack of Henzinger, Kirsch, Payer, Sezgin and Sokolova (POPL 2013): a
 * stack of segments of K cells.  push takes a free cell of the top segment, pop
 * any used one, from a random cell on; an empty segment is taken off.  Each
 * change of a word also changes a tag in it.
 *
 * With K = 1 it is a stack.  With K = 2 a pop may return any of the two
 * youngest values, which is no stack even with one thread; with equal values
 * (-DEQUAL) that cannot be seen, and what is left to check is that no value is
 * lost or returned twice and that the stack is called empty only when it is.
 * -DUNCOMMITTED leaves out the check that a segment is not being removed while
 * a value is put in it: values are lost.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DK=2 -DEQUAL
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DK=2
 * EXIT: 1
 * FAULT: sequential
 * CLIENT: push\(1\); push\(2\)
 * RUN: %s -- -DUNCOMMITTED
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s -- -DUNCOMMITTED -DK=2 -DEQUAL
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * RUN: %s --client 'push(1); push(2); {pop(); pop()} || {push(3)}; pop(); \
 *     pop()'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'push(1); push(2); {pop(); pop()} || {push(3)}; pop(); \
 *     pop()' -- -DUNCOMMITTED
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef K
#define K 1
#endif
#ifdef EQUAL
#define VALUES FL_CHOICE(1)
#else
#define VALUES FL_DATA(1, 3)
#endif

enum { EMPTY = -1, SHIFT = 48, NONE = -1 };

/* A word: a pointer or a value (0: no value) and, above it, a tag. */
typedef uint64_t word;

struct segment {
  atomic_int removing; /* how many try to take this segment off */
  struct segment *next;
  _Atomic(word) items[K];
};

struct stack {
  _Atomic(word) top;
};

static uint64_t plain(word w) { return w & (((word)1 << SHIFT) - 1); }

static struct segment *segment_of(word top) {
  return (struct segment *)plain(top);
}

/* The word that replaces old and holds what. */
static word tagged(word old, uint64_t what) {
  return ((old >> SHIFT) + 1) << SHIFT | what;
}

static bool cas(_Atomic(word) *at, word old, uint64_t what) {
  return atomic_compare_exchange_strong(at, &old, tagged(old, what));
}

static struct segment *segment_new(struct segment *next) {
  struct segment *s = calloc(1, sizeof *s);
  s->next = next;
  return s;
}

static struct stack *stack_new(void) {
  struct stack *s = malloc(sizeof *s);
  atomic_init(&s->top, (word)segment_new(NULL));
  return s;
}

/* A cell that is used, or that is free, and what it holds; or NONE. */
static int find(struct segment *g, bool used, word *item) {
  int start = K > 1 ? rand() % K : 0;
  for (int i = 0; i < K; i++) {
    int at = (start + i) % K;
    *item = atomic_load(&g->items[at]);
    if ((plain(*item) != 0) == used)
      return at;
  }
  return NONE;
}

/* Whether all cells were free at one time: looks twice. */
static bool is_empty(struct segment *g) {
  word seen[K];
  for (int i = 0; i < K; i++) {
    seen[i] = atomic_load(&g->items[i]);
    if (plain(seen[i]))
      return false;
  }
  for (int i = 0; i < K; i++)
    if (atomic_load(&g->items[i]) != seen[i])
      return false;
  return true;
}

/* Whether the value that was put in cell i will be found: its segment is not
 * taken off, or the value was popped. */
static bool committed(struct stack *s, word t, word item, int i) {
  struct segment *g = segment_of(t);
#ifdef UNCOMMITTED
  return true;
#endif
  if (atomic_load(&g->items[i]) != item)
    return true;
  if (atomic_load(&g->removing) == 0)
    return true;
  if (atomic_load(&s->top) == t && cas(&s->top, t, plain(t)))
    return true;
  return !cas(&g->items[i], item, 0);
}

static bool push_in_segment(struct stack *s, word t, word old, int i,
                            int value) {
  if (!cas(&segment_of(t)->items[i], old, (uint64_t)value))
    return false;
  return committed(s, t, tagged(old, (uint64_t)value), i);
}

static bool push_segment(struct stack *s, word t, int value) {
  struct segment *n = segment_new(segment_of(t));
  atomic_init(&n->items[0], (word)value);
  return cas(&s->top, t, (uint64_t)n);
}

static void push(struct stack *s, int value) {
  for (;;) {
    word t = atomic_load(&s->top);
    word old;
    int i = find(segment_of(t), false, &old);
    if (atomic_load(&s->top) != t)
      continue;
    if (i != NONE ? push_in_segment(s, t, old, i, value)
                  : push_segment(s, t, value))
      return;
  }
}

/* Takes off the top segment if it is empty. */
static void try_remove(struct stack *s, word t) {
  struct segment *g = segment_of(t);
  struct segment *next = g->next;
  if (atomic_load(&s->top) != t || !next)
    return;
  atomic_fetch_add(&g->removing, 1);
  if (is_empty(g) && cas(&s->top, t, (uint64_t)next))
    return;
  atomic_fetch_sub(&g->removing, 1);
}

static int pop(struct stack *s) {
  for (;;) {
    word t = atomic_load(&s->top);
    struct segment *g = segment_of(t);
    word old;
    int i = find(g, true, &old);
    if (atomic_load(&s->top) != t)
      continue;
    if (i != NONE) {
      if (cas(&g->items[i], old, 0))
        return (int)plain(old);
    } else if (g->next) {
      try_remove(s, t);
    } else if (is_empty(g) && atomic_load(&s->top) == t) {
      return EMPTY;
    }
  }
}

FL_OBJECT(stack, stack_new, free)
FL_OP(void, push, VALUES)
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
