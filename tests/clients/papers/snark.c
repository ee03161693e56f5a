/*
 * Snark: the deque of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele
 * (DISC 2000) with a double compare-and-swap, and the two bugs that Doherty et
 * al. found (SPAA 2004).  Nodes are never used again.  No processor has the
 * instruction: all words are read, and two of them compared and swapped, under
 * one lock, so that each access is one step.
 *
 * Bug 1: pop_right takes a self pointer of the node that was rightmost when it
 * looked for a sign of an empty deque.  The node may have been popped from the
 * left meanwhile, with another one to the right of it.
 * Bug 2, with three threads: a pop that waits in front of its swap finds the
 * same hat and the same neighbour again, although its node was popped: a value
 * is returned twice.
 *
 * Bug 1 takes four calls, bug 2 seven: more than all clients of that size can
 * be tried of, so that it is found by chance, but with each seed from 1 to 8.
 *
 * -DFIX1 looks at the hat again before it says empty, -DFIX2 claims the value;
 * -DFIXED does both.
 *
 * CC: gcc
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: pop_left.*pop_right|pop_right.*pop_left
 * RUN: %s --client 'push_right(1); {pop_right()} || {push_right(2); \
 *     pop_left()}'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * OUTPUT: pop_right\(\) = -1
 * LINE: O1
 * LINE: O3
 * LINE: U7
 * LINE: left O6
 * RUN: %s -- -DFIX1
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * OUTPUT: Smallest failing client \(shrunk from [0-9]+ calls to 7; proved minimal\)
 * CLIENT: ^push_.*; push_.*; \{.*\} \|\| \{.*\} \|\| \{.*\}$
 * RUN: %s --client 'push_right(1); {pop_right()} || {push_right(2); \
 *     pop_left()}' -- -DFIX1
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'push_right(1); push_right(2); {pop_right()} || \
 *     {pop_left(); pop_left()} || {push_right(3); pop_right()}' -- -DFIX1
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: O6
 * LINE: left O6
 * RUN: %s --max-states=10000000 --client 'push_right(1); push_right(2); \
 *     {pop_right()} || {pop_left(); pop_left()} || {push_right(3); \
 *     pop_right()}' -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { EMPTY = -1, CLAIMED = -2 };

#if defined(FIXED) || defined(FIX1)
#define LOOKS_AGAIN true
#else
#define LOOKS_AGAIN false
#endif
#if defined(FIXED) || defined(FIX2)
#define CLAIMS true
#else
#define CLAIMS false
#endif

struct node {
  struct node *left, *right;
  int value;
};

struct deque {
  struct node *left_hat, *right_hat;
  struct node *dummy;
};

static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;

/* Macros, so that reports name the line where they stand. */
#define READ(word)                                                             \
  ({                                                                           \
    pthread_mutex_lock(&memory);                                               \
    __typeof__(word) seen = (word);                                            \
    pthread_mutex_unlock(&memory);                                             \
    seen;                                                                      \
  })
#define WRITE(word, v)                                                         \
  ({                                                                           \
    pthread_mutex_lock(&memory);                                               \
    (word) = (v);                                                              \
    pthread_mutex_unlock(&memory);                                             \
  })
#define CAS(word, old, new)                                                    \
  ({                                                                           \
    pthread_mutex_lock(&memory);                                               \
    bool same = (word) == (old);                                               \
    if (same)                                                                  \
      (word) = (new);                                                          \
    pthread_mutex_unlock(&memory);                                             \
    same;                                                                      \
  })
#define DCAS(word1, word2, old1, old2, new1, new2)                             \
  ({                                                                           \
    pthread_mutex_lock(&memory);                                               \
    bool same = (word1) == (old1) && (word2) == (old2);                        \
    if (same) {                                                                \
      (word1) = (new1);                                                        \
      (word2) = (new2);                                                        \
    }                                                                          \
    pthread_mutex_unlock(&memory);                                             \
    same;                                                                      \
  })

static struct deque *deque_new(void) {
  struct deque *d = malloc(sizeof *d);
  d->dummy = malloc(sizeof *d->dummy);
  d->dummy->left = d->dummy;
  d->dummy->right = d->dummy;
  d->dummy->value = EMPTY;
  d->left_hat = d->dummy;
  d->right_hat = d->dummy;
  return d;
}

static struct node *node_new(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  return n;
}

static void push_right(struct deque *d, int value) {
  struct node *n = node_new(value), *rh, *rhr, *lh; /* U1 */
  n->right = d->dummy;
  for (;;) {
    rh = READ(d->right_hat); /* U2 */
    rhr = READ(rh->right);   /* U3 */
    if (rhr == rh) {         /* U4 */
      n->left = d->dummy;
      lh = READ(d->left_hat);                            /* U5 */
      if (DCAS(d->right_hat, d->left_hat, rh, lh, n, n)) /* U6 */
        return;
    } else {
      n->left = rh;
      if (DCAS(d->right_hat, rh->right, rh, rhr, n, n)) /* U7 */
        return;
    }
  }
}

static void push_left(struct deque *d, int value) {
  struct node *n = node_new(value), *lh, *lhl, *rh;
  n->left = d->dummy;
  for (;;) {
    lh = READ(d->left_hat);
    lhl = READ(lh->left);
    if (lhl == lh) {
      n->right = d->dummy;
      rh = READ(d->right_hat);
      if (DCAS(d->left_hat, d->right_hat, lh, rh, n, n))
        return;
    } else {
      n->right = lh;
      if (DCAS(d->left_hat, lh->left, lh, lhl, n, n))
        return;
    }
  }
}

/* The value of a node that was unlinked; CLAIMED: somebody else has it. */
static int take(struct node *n) {
  int value = READ(n->value);
  if (CLAIMS && (value == CLAIMED || !CAS(n->value, value, CLAIMED)))
    return CLAIMED;
  return value;
}

static int pop_right(struct deque *d) {
  struct node *rh, *lh, *rhl;
  int value;
  for (;;) {
    rh = READ(d->right_hat);     /* O1 */
    lh = READ(d->left_hat);      /* O2 */
    if (READ(rh->right) == rh) { /* O3 */
      if (LOOKS_AGAIN && READ(d->right_hat) != rh)
        continue;
      return EMPTY;
    }
    if (rh == lh) {
      if (!DCAS(d->right_hat, d->left_hat, rh, lh, d->dummy, d->dummy)) /* O4 */
        continue;
      value = take(rh);
    } else {
      rhl = READ(rh->left);                                /* O5 */
      if (!DCAS(d->right_hat, rh->left, rh, rhl, rhl, rh)) /* O6 */
        continue;
      value = take(rh);
      WRITE(rh->right, d->dummy);
    }
    if (value != CLAIMED)
      return value;
  }
}

static int pop_left(struct deque *d) {
  struct node *lh, *rh, *lhr;
  int value;
  for (;;) {
    lh = READ(d->left_hat);
    rh = READ(d->right_hat);
    if (READ(lh->left) == lh) {
      if (LOOKS_AGAIN && READ(d->left_hat) != lh)
        continue;
      return EMPTY;
    }
    if (lh == rh) {
      if (!DCAS(d->left_hat, d->right_hat, lh, rh, d->dummy, d->dummy))
        continue;
      value = take(lh);
    } else {
      lhr = READ(lh->right);
      if (!DCAS(d->left_hat, lh->right, lh, lhr, lhr, lh)) /* left O6 */
        continue;
      value = take(lh);
      WRITE(lh->left, d->dummy);
    }
    if (value != CLAIMED)
      return value;
  }
}

FL_OBJECT(deque, deque_new, free)
FL_OP(void, push_left, FL_DATA(1, 3))
FL_OP(void, push_right, FL_DATA(1, 3))
FL_OP(int, pop_left)
FL_OP(int, pop_right)
FL_SPEC(deque, push_left = push_left, push_right = push_right,
        pop_left = pop_left, pop_right = pop_right, empty = -1)
