/*
 * The deque of Chase and Lev whose steal() gives up when another thread was
 * faster.  FL_MAY_FAIL(NONE) allows that, and faults are still found: LOST
 * publishes a place before its task, TWICE takes the last task without
 * competing, and in SWAPPED a thief that was too slow takes the newest task.
 *
 * CC: gcc
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * RUN: test %s
 * VERDICT: pass
 * RUN: test %s --max-executions 20000 -- -DOWN
 * VERDICT: pass
 * RUN: explore %s --search=dpor \
 *     --client 'push(1); push(2); {take(); take()} || {steal()} || {steal()}'
 * VERDICT: pass
 * RUN: test %s -- -DLOST
 * VERDICT: violation
 * RUN: test %s -- -DTWICE
 * VERDICT: violation
 * RUN: test %s -- -DSWAPPED
 * VERDICT: violation
 * RUN: test %s -- -DOWN -DLOST
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SIZE = 8, NONE = -1 };

static atomic_int top, bottom, tasks[SIZE];

static void push(int task) {
  int b = atomic_load(&bottom);
#ifdef LOST
  atomic_store(&bottom, b + 1);
  atomic_store(&tasks[b % SIZE], task);
#else
  atomic_store(&tasks[b % SIZE], task);
  atomic_store(&bottom, b + 1);
#endif
}

static int take(void) {
  int b = atomic_load(&bottom) - 1;
  atomic_store(&bottom, b);
  int t = atomic_load(&top), task = NONE;
  if (t <= b) {
    task = atomic_load(&tasks[b % SIZE]);
    if (t < b)
      return task;
#ifdef TWICE
    atomic_store(&top, t + 1);
#else
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
      task = NONE;
#endif
  }
  atomic_store(&bottom, b + 1);
  return task;
}

static int steal(void) {
  int t = atomic_load(&top), b = atomic_load(&bottom);
  if (t >= b)
    return NONE;
  int task = atomic_load(&tasks[t % SIZE]);
  if (atomic_compare_exchange_strong(&top, &t, t + 1))
    return task;
#ifdef SWAPPED
  task = atomic_load(&tasks[(b - 1) % SIZE]);
  if (t < b - 1 && atomic_compare_exchange_strong(&bottom, &b, b - 1))
    return task;
#endif
  return NONE;
}

FL_OBJECT(deque)
FL_OP(void, push, FL_DATA(1, 3), FL_GROUP("owner"))
FL_OP(int, take, FL_GROUP("owner"))
#ifdef STRICT
FL_OP(int, steal)
#else
FL_OP(int, steal, FL_MAY_FAIL(NONE))
#endif
#ifndef OWN
FL_SPEC(deque, push_right = push, pop_right = take, pop_left = steal,
        empty = -1)
#endif
