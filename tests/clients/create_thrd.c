/*
 * The same with C11 threads: the result comes by thrd_join.
 *
 * RUN: %s --client '{add()} || {add()}'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int counter;

static int worker(void *unused) {
  (void)unused;
  return atomic_fetch_add(&counter, 1);
}

static int add(void) {
  thrd_t t;
  int before = -1;
  if (thrd_create(&t, worker, NULL) != thrd_success)
    return -2;
  thrd_join(t, &before);
  return before;
}

FL_OBJECT(counter)
FL_OP(int, add)
