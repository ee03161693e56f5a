/*
 * std::binary_semaphore of GCC 12, used as a lock by two threads.
 *
 * Faultline: a lost wake-up; a thread sleeps for ever beside a free
 * semaphore. acquire() notes the value 1, loses it to the other thread, sees
 * 0 while it spins, and then sleeps until the value is no longer 1: a
 * release() that makes it 1 again in between wakes nobody.
 *
 * PACKAGE: libstdc++-12-dev
 * RUN: %s -- -std=c++20
 * EXIT: 1
 * VERDICT: error
 * FAULT: deadlock
 * KIND: lost-wakeup
 */
#include <faultline.h>

#include <semaphore>

struct counter {
  std::binary_semaphore lock{1};
  int n = 0;
};
static counter *make() { return new counter; }
static void drop(counter *c) { delete c; }
static int next(counter *c) {
  c->lock.acquire();
  int n = c->n++;
  c->lock.release();
  return n;
}

FL_OBJECT(counter, make, drop)
FL_OP(int, next)
