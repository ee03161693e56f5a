/*
 * std::atomic<std::shared_ptr<int>> of GCC 12: a pointer whose lowest bit is
 * a lock.
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
#include <memory>

struct cell {
  std::atomic<std::shared_ptr<int>> p{std::make_shared<int>(0)};
};
static cell *make() { return new cell; }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) { c->p.store(std::make_shared<int>(v)); }
static int get(cell *c) { return *c->p.load(); }
static int swap(cell *c, int v) {
  return *c->p.exchange(std::make_shared<int>(v));
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_DATA(1, 3))
FL_OP(int, swap, FL_DATA(1, 3))
FL_OP(int, get)
FL_SPEC(register, write = set, read = get, exchange = swap, initial = 0)
