/*
 * Store buffering with what empties the buffer in between, as on x86: a lock, a
 * compare-and-swap even if it fails and is relaxed, a sequentially consistent
 * store, creating a thread, and the end of a thread that is joined.  A lighter
 * fence does not.
 *
 * RUN: explore %s --client '{lock_a()} || {lock_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{lock_a()} || {lock_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{cas_a()} || {cas_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{cas_a()} || {cas_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{store_a()} || {store_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{store_a()} || {store_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{light_a()} || {light_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --client '{light_a()} || {light_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --client '{create_a()} || {lock_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{create_a()} || {lock_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{join_a()} || {store_b()}' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{join_a()} || {store_b()}' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --client '{lock_a()} || {lock_b()}' \
 *     --search=dfs
 * OUTCOMES: 0,1 1,0 1,1
 */
#include <faultline.h>
#include <pthread.h>

static volatile int x, y;
static int seen;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static int lock_a(void) {
  x = 1;
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  return y;
}
static int lock_b(void) {
  y = 1;
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  return x;
}

static void fail(volatile int *p) {
  int expected = 5;
  __atomic_compare_exchange_n(p, &expected, 6, 0, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}
static int cas_a(void) {
  x = 1;
  fail(&x);
  return y;
}
static int cas_b(void) {
  y = 1;
  fail(&y);
  return x;
}

static int store_a(void) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
  return y;
}
static int store_b(void) {
  __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST);
  return x;
}

static int light_a(void) {
  x = 1;
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  return y;
}
static int light_b(void) {
  y = 1;
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  return x;
}

static void *look(void *unused) {
  (void)unused;
  seen = y;
  return NULL;
}
static int create_a(void) {
  pthread_t t;
  x = 1;
  pthread_create(&t, NULL, look, NULL);
  pthread_join(t, NULL);
  return seen;
}

static void *set(void *unused) {
  x = 1;
  return unused;
}
static int join_a(void) {
  pthread_t t;
  pthread_create(&t, NULL, set, NULL);
  pthread_join(t, NULL);
  return y;
}

FL_OBJECT(drains)
FL_OP(int, lock_a)
FL_OP(int, lock_b)
FL_OP(int, cas_a)
FL_OP(int, cas_b)
FL_OP(int, store_a)
FL_OP(int, store_b)
FL_OP(int, light_a)
FL_OP(int, light_b)
FL_OP(int, create_a)
FL_OP(int, join_a)
