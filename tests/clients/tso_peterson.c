/*
 * Peterson's lock: right under SC; under TSO both threads may read the other's
 * flag before their own is out of the store buffer.
 *
 * RUN: %s --client '{add(0)} || {add(1)}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=tso --client '{add(0)} || {add(1)}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: lock\(\): a fence between line 39 and line 41
 * RUN: %s --memory-model=tso --client '{add(0)} || {add(1)}' -- -DFENCE
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

#ifdef FENCE
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() (void)0
#endif

atomic_int flag[2];
atomic_int turn;
static int counter;

static int get(atomic_int *p) {
  return atomic_load_explicit(p, memory_order_acquire);
}
static inline __attribute__((always_inline)) void set(atomic_int *p, int v) {
  atomic_store_explicit(p, v, memory_order_release);
}

static void lock(int me) {
  int other = 1 - me;
  set(&flag[me], 1);
  set(&turn, other);
  fence();
  while (get(&flag[other]) && get(&turn) == other)
    ;
}

static void unlock(int me) { set(&flag[me], 0); }

static int add(int me) {
  lock(me);
  int n = ++counter;
  unlock(me);
  return n;
}

FL_OBJECT(peterson)
FL_OP(int, add, FL_INT(0, 1))
