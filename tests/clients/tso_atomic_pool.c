/*
 * The task pool of Fig. 1 of "On atomicity in presence of non-atomic writes"
 * with the paper's four transactions marked: alpha and beta, delta and gamma.
 * With two tasks, all its executions under SC are serializable; under TSO each
 * thread may look at the other's index before its own claim has left the
 * buffer, as in Fig. 2, unless a fence ends alpha and delta.
 *
 * With one task both may find nothing, and undo: then beta and gamma have each
 * read what the other writes, which is not serializable under SC either.
 *
 * RUN: atomicity %s --client '{take_head()} || {take_tail()}' \
 *     --memory-model=tso
 * EXIT: 1
 * ANSWERS: yes no no
 * OUTPUT: take_head\(\): thread 1, call 1 \(take_head\), block 1: commit head
 * OUTPUT: take_tail\(\): thread 2, call 2 \(take_tail\), block 1: store tail \
 *     \(issued\)
 * RUN: atomicity %s --client '{take_head()} || {take_tail()}'
 * EXIT: 0
 * ANSWERS: yes no no
 * RUN: atomicity %s --client '{take_head()} || {take_tail()}' \
 *     --memory-model=tso -- -DFENCE
 * EXIT: 0
 * ANSWERS: yes yes yes
 * RUN: atomicity %s --client '{take_head()} || {take_tail()}' \
 *     --memory-model=tso -- -DTASKS=1
 * EXIT: 1
 * ANSWERS: no no no
 * RUN: atomicity %s --client '{take_head()} || {take_tail()}' \
 *     --memory-model=tso -- -DTASKS=1 -DFENCE
 * EXIT: 1
 * ANSWERS: no no yes
 */
#include <faultline.h>
#include <stdatomic.h>

#ifndef TASKS
#define TASKS 2
#endif

/* The tasks are pool[head] to pool[tail - 1]. */
static atomic_int head, tail = TASKS;
static atomic_int pool[3] = {7, 8};

#define GET(P) atomic_load_explicit(&(P), memory_order_relaxed)
#define SET(P, V) atomic_store_explicit(&(P), V, memory_order_relaxed)

static void fence(void) {
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

static int take_head(void) {
  int task = 0;
  FL_ATOMIC_BEGIN; /* alpha */
  SET(head, GET(head) + 1);
  fence();
  FL_ATOMIC_END;
  FL_ATOMIC_BEGIN; /* beta */
  int h = GET(head);
  if (h <= GET(tail)) {
    task = GET(pool[h - 1]);
    SET(pool[h - 1], 0);
  } else {
    SET(head, GET(head) - 1);
  }
  FL_ATOMIC_END;
  return task;
}

static int take_tail(void) {
  int task = 0;
  FL_ATOMIC_BEGIN; /* delta */
  SET(tail, GET(tail) - 1);
  fence();
  FL_ATOMIC_END;
  FL_ATOMIC_BEGIN; /* gamma */
  int h = GET(head), t = GET(tail);
  if (h <= t) {
    task = GET(pool[t]);
    SET(pool[t], 0);
  } else {
    SET(tail, GET(tail) + 1);
  }
  FL_ATOMIC_END;
  return task;
}

FL_OBJECT(task_pool)
FL_OP(int, take_head)
FL_OP(int, take_tail)
