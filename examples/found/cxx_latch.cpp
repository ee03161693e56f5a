/*
 * std::latch of GCC 12.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libstdc++-12-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <latch>

static std::latch *make() { return new std::latch(2); }
static void drop(std::latch *l) { delete l; }
static bool down(std::latch *l) {
  bool open = l->try_wait();
  if (!open)
    l->count_down();
  return open;
}
static void wait(std::latch *l) { l->wait(); }

FL_OBJECT(latch, make, drop)
FL_OP(bool, down, FL_GROUP("one"))
FL_OP(void, wait, FL_BLOCKING)
