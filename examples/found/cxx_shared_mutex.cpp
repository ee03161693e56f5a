/*
 * std::shared_mutex of GCC 12.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libstdc++-12-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <mutex>
#include <shared_mutex>

struct cell {
  std::shared_mutex lock;
  int a = 0, b = 0;
};
static cell *make() { return new cell; }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) {
  std::unique_lock held(c->lock);
  c->a = v;
  c->b = v;
}
static int get(cell *c) {
  std::shared_lock held(c->lock);
  return c->a == c->b ? c->a : -1;
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_DATA(1, 3))
FL_OP(int, get)
