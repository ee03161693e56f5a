/*
 * OpenImageIO's spin_rw_mutex (2.4).
 *
 * Faultline: no fault.
 *
 * PACKAGE: libopenimageio-dev
 * RUN: %s -- -std=c++17
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <OpenImageIO/thread.h>

struct cell {
  OIIO::spin_rw_mutex lock;
  int a = 0, b = 0;
};
static cell *make() { return new cell; }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) {
  c->lock.write_lock();
  c->a = v;
  c->b = v;
  c->lock.write_unlock();
}
static int get(cell *c) {
  c->lock.read_lock();
  int v = c->a == c->b ? c->a : -1;
  c->lock.read_unlock();
  return v;
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_DATA(1, 3))
FL_OP(int, get)
