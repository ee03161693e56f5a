/*
 * std::atomic<int>::wait and notify_all of GCC 12.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libstdc++-12-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <atomic>

struct flag {
  std::atomic<int> n{0};
};
static flag *make() { return new flag; }
static void drop(flag *f) { delete f; }
static void set(flag *f, int v) {
  f->n.store(v);
  f->n.notify_all();
}
static void wait_for(flag *f, int v) {
  int seen;
  while ((seen = f->n.load()) != v)
    f->n.wait(seen);
}

FL_OBJECT(flag, make, drop)
FL_OP(void, set, FL_INT(0, 2))
FL_OP(void, wait_for, FL_INT(1, 2), FL_BLOCKING)
