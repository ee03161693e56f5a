/*
 * boost::lockfree::spsc_queue (1.74): a ring for one producer and one
 * consumer, here with two slots.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libboost-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <boost/lockfree/spsc_queue.hpp>

using queue = boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>;
static queue *make() { return new queue; }
static void drop(queue *q) { delete q; }
static bool put(queue *q, int v) { return q->push(v); }
static int get(queue *q) {
  int v;
  return q->pop(v) ? v : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(bool, put, FL_DATA(1, 3), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
