/*
 * The work-stealing deque of Chase and Lev (SPAA 2005) with a fixed array: the
 * owner pushes and takes at the bottom, thieves steal from the top.  Over the
 * last task owner and thief compete with a compare-and-swap.
 *
 * Wrong: the owner takes the last task without competing.  A thief that has
 * read the same indices takes it too, and the task runs twice.
 * With -DNO_FENCE the fence between the two indices is left out: right under
 * sequential consistency, wrong on every x86.  Only the search with store
 * buffers sees it.  There the criterion is sequential: a push() that returns
 * while its stores wait in the buffer is late for thieves, which is no harm.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --memory-model=tso --criterion=sequential
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: last
 * RUN: %s --memory-model=tso --criterion=sequential -- -DNO_FENCE
 * FAULT: not-linearizable
 * BLAME: bottom
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE = 8, NONE = -1 };

struct deque {
  atomic_int top, bottom;
  atomic_int tasks[SIZE];
};

static struct deque *deque_new(void) { return calloc(1, sizeof(struct deque)); }

static void push(struct deque *d, int task) {
  int b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
  atomic_store_explicit(&d->tasks[b % SIZE], task, memory_order_relaxed);
  atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
}

static int take(struct deque *d) {
  int b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&d->bottom, b, memory_order_relaxed); /* bottom */
#ifndef NO_FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int t = atomic_load_explicit(&d->top, memory_order_relaxed); /* last */
  int task = NONE;
  if (t <= b) {
    task = atomic_load_explicit(&d->tasks[b % SIZE], memory_order_relaxed);
    if (t < b)
      return task;
#ifdef WRONG
    atomic_store(&d->top, t + 1);
#else
    if (!atomic_compare_exchange_strong(&d->top, &t, t + 1))
      task = NONE; /* a thief was first */
#endif
  }
  atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
  return task;
}

static int steal(struct deque *d) {
  for (;;) {
    int t = atomic_load_explicit(&d->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&d->bottom, memory_order_acquire);
    if (t >= b)
      return NONE;
    int task = atomic_load_explicit(&d->tasks[t % SIZE], memory_order_relaxed);
    if (atomic_compare_exchange_strong(&d->top, &t, t + 1))
      return task;
  }
}

FL_OBJECT(deque, deque_new, free)
FL_OP(void, push, FL_DATA(1, 3), FL_GROUP("owner"))
FL_OP(int, take, FL_GROUP("owner"))
FL_OP(int, steal)
FL_SPEC(deque, push_right = push, pop_right = take, pop_left = steal,
        empty = -1)
