/*
 * A stack with a count beside it, which is changed a moment before a push and a
 * moment after a pop.  As a size it is not linearizable; as an approximate one
 * it is right, since only calls in progress are counted too early or too late.
 * The count of LOST is changed by a load and a store: two pushes can count as
 * one for good, and when all is quiet the size is wrong.
 *
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * OUTPUT: is not linearizable
 * RUN: test %s --max-executions 20000
 * VERDICT: pass
 * RUN: explore %s --search=dpor --client \
 *     's_push(1); {s_pop()} || {s_pop(); s_size()} || {s_push(2)}'
 * VERDICT: pass
 * RUN: test %s -j2 -- -DLOST
 * VERDICT: violation
 * OUTPUT: s_size\(\) should return 2, returned 1, against FL_RELAXED
 * RUN: explore %s --search=dpor --client \
 *     '{s_push(1)} || {s_push(2); s_size()}' -- -DLOST
 * VERDICT: violation
 * OUTPUT: s_size\(\) should return 2
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[8], top;
static atomic_int count;

static void add(int n) {
#ifdef LOST
  atomic_store(&count, atomic_load(&count) + n);
#else
  atomic_fetch_add(&count, n);
#endif
}

static void s_push(int v) {
  add(1);
  pthread_mutex_lock(&lock);
  values[top++] = v;
  pthread_mutex_unlock(&lock);
}

static int s_pop(void) {
  pthread_mutex_lock(&lock);
  int v = top ? values[--top] : 0;
  pthread_mutex_unlock(&lock);
  if (v)
    add(-1);
  return v;
}

static int s_size(void) { return atomic_load(&count); }

FL_OBJECT(stack)
FL_OP(void, s_push, FL_DATA(1, 2))
FL_OP(int, s_pop)
#ifdef STRICT
FL_OP(int, s_size)
#else
FL_OP(int, s_size, FL_RELAXED)
#endif
FL_SPEC(stack, push = s_push, pop = s_pop, size = s_size, empty = 0)
