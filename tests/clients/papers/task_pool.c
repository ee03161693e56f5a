/*
 * The task pool of "Robustness and atomicity under TSO", Figure 1: one thread
 * takes tasks at the head, one at the tail.  Each first claims, by moving its
 * index, then looks whether the other has claimed as well.  The four blocks of
 * the paper, alpha and beta, delta and gamma, are marked.
 *
 * On a sequentially consistent machine no task is taken twice, which is what
 * the invariant says; with store buffers, which FL_MEMORY_MODEL asks for, both
 * threads may take the last task before the other's claim is seen, unless there
 * is a fence behind each claim (-DFIXED).  -DLATE moves the claim behind the
 * look, as a store buffer does.
 *
 * Both may fail although a task is there, so the pool is not linearizable as a
 * deque (-DSTRICT).
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: invariant
 * CLIENT: ^take_(head|tail)\(\); \{take_head\(\)\} \|\| \{take_tail\(\)\}$
 * LINE: alpha
 * LINE: delta
 * OUTPUT: get_head\(\): a fence between line
 * OUTPUT: get_tail\(\): a fence between line
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=sc
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=sc \
 *     --client '{take_head(); take_head()} || {take_tail(); take_tail()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --memory-model=sc -- -DLATE
 * EXIT: 1
 * VERDICT: error
 * FAULT: invariant
 * RUN: %s -- -DSTRICT
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { TASKS = 2, SPACE = 2, SIZE = TASKS + 2 * SPACE, FAIL = 0 };

static atomic_int head, tail;
static atomic_int pool[SIZE]; /* the tasks are pool[head] to pool[tail - 1] */
static atomic_int taken[TASKS + 1]; /* how often each was returned */

static void init(void) {
  atomic_init(&head, SPACE);
  atomic_init(&tail, SPACE + TASKS);
  for (int i = 1; i <= TASKS; i++)
    atomic_init(&pool[SPACE + i - 1], i);
}

/* Plain loads and stores of a processor: not even a compiler barrier. */
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)

static void fence(void) {
#ifdef FIXED
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

static int get_head(void) {
  int h, t, task;
#ifdef LATE
  h = GET(head) + 1;
  t = GET(tail);
  SET(head, h);
#else
  SET(head, GET(head) + 1); /* alpha */
  fence();
  h = GET(head); /* beta */
  t = GET(tail);
#endif
  if (h <= t) {
    task = GET(pool[h - 1]);
    SET(pool[h - 1], FAIL);
    return task;
  }
  SET(head, GET(head) - 1);
  return FAIL;
}

static int get_tail(void) {
  int h, t, task;
#ifdef LATE
  t = GET(tail) - 1;
  h = GET(head);
  SET(tail, t);
#else
  SET(tail, GET(tail) - 1); /* delta */
  fence();
  h = GET(head); /* gamma */
  t = GET(tail);
#endif
  if (h <= t) {
    task = GET(pool[t]);
    SET(pool[t], FAIL);
    return task;
  }
  SET(tail, GET(tail) + 1);
  return FAIL;
}

#ifdef STRICT

FL_OBJECT(pool, init)
FL_OP(int, get_head, FL_GROUP("head"))
FL_OP(int, get_tail, FL_GROUP("tail"))

#else

/* What is returned is not compared with any order, since FAIL is always
 * allowed; the invariant counts. */
static void take_head(void) { atomic_fetch_add(&taken[get_head()], 1); }

static void take_tail(void) { atomic_fetch_add(&taken[get_tail()], 1); }

static bool at_most_once(void) {
  for (int i = 1; i <= TASKS; i++)
    if (atomic_load(&taken[i]) > 1)
      return false;
  return true;
}

FL_OBJECT(pool, init)
FL_OP(void, take_head, FL_GROUP("head"))
FL_OP(void, take_tail, FL_GROUP("tail"))
FL_INVARIANT(at_most_once)
FL_MEMORY_MODEL(tso)

#endif
