/*
 * xenium::left_right (0.0.2): two copies, one of which readers use while a
 * writer changes the other.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libxenium-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <xenium/left_right.hpp>

struct pair {
  int a, b;
};
using cell = xenium::left_right<pair>;
static cell *make() { return new cell(pair{0, 0}); }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) {
  c->update([v](pair &p) {
    p.a = v;
    p.b = v;
  });
}
static int get(cell *c) {
  return c->read([](const pair &p) { return p.a == p.b ? p.a : -1; });
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_DATA(1, 3))
FL_OP(int, get)
