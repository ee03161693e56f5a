/*
 * xenium::seqlock (0.0.2) of two words.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libxenium-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <xenium/seqlock.hpp>

struct pair {
  long a, b;
};
using cell = xenium::seqlock<pair>;
static cell *make() { return new cell(pair{0, 0}); }
static void drop(cell *c) { delete c; }
static void set(cell *c, int v) { c->store(pair{v, v}); }
static int get(cell *c) {
  pair p = c->load();
  return p.a == p.b ? (int)p.a : -1;
}

FL_OBJECT(cell, make, drop)
FL_OP(void, set, FL_DATA(1, 3))
FL_OP(int, get)
