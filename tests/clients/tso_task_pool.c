/*
 * The task pool of Fig. 1 of "On atomicity in presence of non-atomic writes":
 * one thread takes at the head, one at the tail.  Both may fail although there
 * is a task, even under SC; but no task is taken twice, unless a thread reads
 * the other's index before its own is out of its store buffer.
 *
 * RUN: %s --client '{take_head()} || {take_tail()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=tso --client '{take_head()} || {take_tail()}'
 * EXIT: 1
 * VERDICT: error
 * FAULT: assert
 * OUTPUT: take_head\(\): a fence between line 45 and line 47
 * OUTPUT: take_tail\(\): a fence between line 58 and line 60
 * RUN: %s --memory-model=tso --client '{take_head()} || {take_tail()}' \
 *     -- -DFENCE
 * EXIT: 0
 * VERDICT: pass
 */
#include <assert.h>
#include <faultline.h>
#include <stdatomic.h>

#define RELAXED memory_order_relaxed
#ifdef FENCE
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() (void)0
#endif

static atomic_int head, tail = 1;
static atomic_int pool[2] = {7};
static atomic_int runs;

#define get(P) atomic_load_explicit(P, RELAXED)
#define set(P, V) atomic_store_explicit(P, V, RELAXED)

static void run(int task) {
  assert(task);
  assert(atomic_fetch_add(&runs, 1) == 0);
}

static void take_head(void) {
  set(&head, get(&head) + 1);
  fence();
  int h = get(&head);
  if (h <= get(&tail)) {
    int task = get(&pool[h - 1]);
    set(&pool[h - 1], 0);
    run(task);
  } else {
    set(&head, get(&head) - 1);
  }
}

static void take_tail(void) {
  set(&tail, get(&tail) - 1);
  fence();
  int t = get(&tail);
  if (get(&head) <= t) {
    int task = get(&pool[t]);
    set(&pool[t], 0);
    run(task);
  } else {
    set(&tail, get(&tail) + 1);
  }
}

FL_OBJECT(task_pool)
FL_OP(void, take_head)
FL_OP(void, take_tail)
