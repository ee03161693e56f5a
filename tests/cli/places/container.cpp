/* A container without a lock: plain accesses of a library are its caller's. */
#include <faultline.h>
#include <queue>

static std::queue<int> q;

static void put(int v) {
  q.push(v); // blamed
}
static int size() { return (int)q.size(); }

FL_OBJECT(container)
FL_OP(void, put, FL_DATA(1, 2))
FL_OP(int, size)
