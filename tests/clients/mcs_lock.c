/*
 * An MCS lock, whose queue nodes lie on the waiting threads' own stacks: what
 * is published there is shared, and a spin on it is a spin.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --search=dfs --max-executions 20000
 * EXIT: 0
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stddef.h>

struct waiter {
  _Atomic(struct waiter *) next;
  atomic_int waits;
};

static _Atomic(struct waiter *) tail;
static int counter;

static void acquire(struct waiter *me) {
  atomic_store(&me->next, NULL);
  atomic_store(&me->waits, 1);
  struct waiter *before = atomic_exchange(&tail, me);
  if (!before)
    return;
  atomic_store(&before->next, me);
  while (atomic_load(&me->waits))
    ;
}

static void release(struct waiter *me) {
  struct waiter *next = atomic_load(&me->next);
  if (!next) {
    struct waiter *last = me;
    if (atomic_compare_exchange_strong(&tail, &last, NULL))
      return;
    while (!(next = atomic_load(&me->next)))
      ;
  }
  atomic_store(&next->waits, 0);
}

static int increment(void) {
  struct waiter me;
  acquire(&me);
  int before = counter++;
  release(&me);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, increment)
