/*
 * Eigen::RunQueue (3.4.0), the deque of a thread pool: its owner works at the
 * front, others at the back.
 *
 * Faultline: weaker than linearizable; PushBack() says "full" and PopBack()
 * says "empty" while another call is in progress. With FL_MAY_FAIL for that
 * there is no fault: nothing is lost, duplicated or reordered.
 *
 * PACKAGE: libeigen3-dev
 * RUN: %s -- -std=c++17 -I/usr/include/eigen3
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s -- -DMAY_FAIL -std=c++17 -I/usr/include/eigen3
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <unsupported/Eigen/CXX11/ThreadPool>

using queue = Eigen::RunQueue<int, 4>;
static queue *make() { return new queue; }
static void drop(queue *q) {
  q->Flush();
  delete q;
}
static bool push_front(queue *q, int v) { return q->PushFront(v) == 0; }
static int pop_front(queue *q) { return q->PopFront(); }
static bool push_back(queue *q, int v) { return q->PushBack(v) == 0; }
static int pop_back(queue *q) { return q->PopBack(); }

FL_OBJECT(queue, make, drop)
#ifdef MAY_FAIL
FL_OP(bool, push_front, FL_DATA(1, 3), FL_GROUP("owner"), FL_MAY_FAIL(false))
FL_OP(int, pop_front, FL_GROUP("owner"), FL_MAY_FAIL(0))
FL_OP(bool, push_back, FL_DATA(1, 3), FL_MAY_FAIL(false))
FL_OP(int, pop_back, FL_MAY_FAIL(0))
#else
FL_OP(bool, push_front, FL_DATA(1, 3), FL_GROUP("owner"))
FL_OP(int, pop_front, FL_GROUP("owner"))
FL_OP(bool, push_back, FL_DATA(1, 3))
FL_OP(int, pop_back)
#endif
