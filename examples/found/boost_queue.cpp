/*
 * boost::lockfree::queue (1.74), Michael and Scott's queue with counted
 * pointers and a free list of its own.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libboost-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <boost/lockfree/queue.hpp>

using queue = boost::lockfree::queue<int>;
static queue *make() { return new queue(2); }
static void drop(queue *q) { delete q; }
static bool put(queue *q, int v) { return q->push(v); }
static int get(queue *q) {
  int v;
  return q->pop(v) ? v : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get)
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1)
