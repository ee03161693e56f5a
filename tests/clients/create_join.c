/*
 * Operations that create threads: add1 lets one thread do its work, which is
 * fine, and writes its result to the creator's stack; add2 lets two threads
 * add 1 each, and get can see the sum in between.
 *
 * RUN: %s --client '{add1()} || {add1()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{add2()} || {get()}'
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *result) {
  *(int *)result = atomic_fetch_add(&counter, 1);
  return result;
}

static int add1(void) {
  int before = -1;
  void *same;
  pthread_t t;
  pthread_create(&t, NULL, worker, &before);
  pthread_join(t, &same);
  return same == &before ? before : -2;
}

static void add2(void) {
  int ignored[2];
  pthread_t t[2];
  pthread_create(&t[0], NULL, worker, &ignored[0]);
  pthread_create(&t[1], NULL, worker, &ignored[1]);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
}

static int get(void) { return atomic_load(&counter); }

FL_OBJECT(counter)
FL_OP(int, add1)
FL_OP(void, add2)
FL_OP(int, get)
