/*
 * spdlog::details::mpmc_blocking_queue (1.10), here with two slots.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libspdlog-dev
 * RUN: %s -- -std=c++17
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <spdlog/common.h>
#include <spdlog/details/mpmc_blocking_q.h>

using queue = spdlog::details::mpmc_blocking_queue<int>;
static queue *make() { return new queue(2); }
static void drop(queue *q) { delete q; }
static void put(queue *q, int v) { q->enqueue(std::move(v)); }
static void put_over(queue *q, int v) { q->enqueue_nowait(std::move(v)); }
static int get(queue *q) {
  int v = -1;
  return q->dequeue_for(v, std::chrono::milliseconds(0)) ? v : -1;
}
static int size(queue *q) { return (int)q->size(); }

FL_OBJECT(queue, make, drop)
FL_OP(void, put, FL_DATA(1, 3), FL_BLOCKING)
FL_OP(void, put_over, FL_DATA(1, 3))
FL_OP(int, get)
FL_OP(int, size)
