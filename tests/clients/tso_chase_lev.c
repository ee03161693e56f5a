/*
 * Chase and Lev's work-stealing deque without the fence between the owner's
 * store of `bottom` and its load of `top`: under TSO a task is taken and
 * stolen.
 *
 * RUN: %s --client 'push(1); push(2); {take()} || {steal(); steal()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=tso \
 *     --client 'push(1); push(2); {take()} || {steal(); steal()}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: take\(\): a fence between line 36 and line 40
 * RUN: %s --memory-model=tso \
 *     --client 'push(1); push(2); {take()} || {steal(); steal()}' -- -DFENCE
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int top, bottom;
static atomic_int task[8];

#define get(P) atomic_load_explicit(P, memory_order_acquire)
#define set(P, V) atomic_store_explicit(P, V, memory_order_release)

static void push(int v) {
  int b = get(&bottom);
  set(&task[b & 7], v);
  set(&bottom, b + 1);
}

static int take(void) {
  int b = get(&bottom) - 1;
  set(&bottom, b);
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int t = get(&top);
  if (t < b)
    return get(&task[b & 7]);
  int v = 0;
  if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
    v = get(&task[b & 7]);
  set(&bottom, b + 1);
  return v;
}

static int steal(void) {
  int t = get(&top);
  int b = get(&bottom);
  if (t >= b)
    return 0;
  int v = get(&task[t & 7]);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : 0;
}

FL_OBJECT(deque)
FL_OP(void, push, FL_INT(1, 2))
FL_OP(int, take)
FL_OP(int, steal)
