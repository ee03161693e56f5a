/*
 * tbb::spin_rw_mutex (2021.8), with an upgrade from reader to writer.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libtbb-dev
 * RUN: %s -- -std=c++17
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <tbb/spin_rw_mutex.h>

using lock = tbb::spin_rw_mutex;
struct cell {
  lock m;
  int a = 0, b = 0;
};
static cell *make() { return new cell; }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) {
  lock::scoped_lock held(c->m, true);
  c->a = v;
  c->b = v;
}
static int get(cell *c) {
  lock::scoped_lock held(c->m, false);
  return c->a == c->b ? c->a : -1;
}
static int next(cell *c) {
  lock::scoped_lock held(c->m, false);
  int was = c->a;
  if (!held.upgrade_to_writer()) // false: another writer came in between
    was = c->a;
  c->a = was + 1;
  c->b = was + 1;
  return was;
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_INT(1, 3))
FL_OP(int, get)
FL_OP(int, next)
