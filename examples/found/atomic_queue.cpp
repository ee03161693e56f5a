/*
 * atomic_queue::AtomicQueue (2022-05-18), here with two slots.
 *
 * Faultline: not first in, first out. A producer has taken its place (head 0)
 * and not yet stored its element when a consumer takes the same place (tail
 * 0): the slot now looks free to the producer of the next round (head 2),
 * which stores there first. The consumer gets the element of head 2 before
 * that of head 1, which was stored long ago.
 *
 * PACKAGE: libatomic-queue-dev
 * RUN: %s -- -std=c++20
 * EXIT: 1
 * VERDICT: violation
 */
#include <faultline.h>

#include <atomic_queue/atomic_queue.h>

using queue = atomic_queue::AtomicQueue<int, 2>;
static queue *make() { return new queue; }
static void drop(queue *q) { delete q; }
static bool put(queue *q, int v) { return q->try_push(v); }
static int get(queue *q) {
  int v;
  return q->try_pop(v) ? v : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(bool, put, FL_INT(1, 3))
FL_OP(int, get)
