/*
 * moodycamel::ReaderWriterQueue (1.0.6): an unbounded queue of blocks for one
 * producer and one consumer, here with blocks of one element.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libreaderwriterqueue-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <readerwriterqueue/readerwriterqueue.h>

using queue = moodycamel::ReaderWriterQueue<int>;
static queue *make() { return new queue(1); }
static void drop(queue *q) { delete q; }
static void put(queue *q, int v) { q->enqueue(v); }
static int get(queue *q) {
  int v;
  return q->try_dequeue(v) ? v : -1;
}
static int peek(queue *q) {
  int *v = q->peek();
  return v ? *v : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(void, put, FL_DATA(1, 3), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
FL_OP(int, peek, FL_GROUP("consumer"))
FL_SPEC(queue, enqueue = put, dequeue = get, front = peek, empty = -1)
