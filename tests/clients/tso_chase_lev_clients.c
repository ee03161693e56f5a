/*
 * Chase and Lev's work-stealing deque with one owner, all small clients: under
 * TSO an element can be taken twice, for want of a fence.  By the strict reading
 * two are missing, since the owner's push may also return before a thief can see
 * what was pushed.  They are verified on all clients.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --threads 2 --ops 2 --memory-model=tso
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: \{take\(\)\} \|\| \{steal\(\); steal\(\)\}$
 * OUTPUT: take\(\): a fence between line 48 and line 52
 * NOOUTPUT: push\(\): a fence
 * RUN: %s --threads 2 --ops 2 --memory-model=tso --criterion=linearizability
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: ^\{push\(1\)\} \|\| \{steal\(\)\}$
 * OUTPUT: push\(\): a fence after line 40, before the return
 * OUTPUT: take\(\): a fence between line 48 and line 52
 * OUTPUT: all interleavings of all [0-9]+
 * RUN: %s --threads 2 --ops 2 --memory-model=tso \
 *     --criterion=linearizability -- -DFENCE
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
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
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
  for (;;) {
    int t = get(&top);
    int b = get(&bottom);
    if (t >= b)
      return 0;
    int v = get(&task[t & 7]);
    if (atomic_compare_exchange_strong(&top, &t, t + 1))
      return v;
  }
}

FL_OBJECT(deque)
FL_OP(void, push, FL_INT(1, 2), FL_GROUP("owner"))
FL_OP(int, take, FL_GROUP("owner"))
FL_OP(int, steal)
