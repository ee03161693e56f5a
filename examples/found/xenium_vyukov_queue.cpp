/*
 * xenium::vyukov_bounded_queue (0.0.2), here with two slots.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libxenium-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <xenium/vyukov_bounded_queue.hpp>

using queue = xenium::vyukov_bounded_queue<int>;
static queue *make() { return new queue(2); }
static void drop(queue *q) { delete q; }
static bool put(queue *q, int v) { return q->try_push(v); }
static int get(queue *q) {
  int v;
  return q->try_pop(v) ? v : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get)
