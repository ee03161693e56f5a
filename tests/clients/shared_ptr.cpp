/*
 * A std::shared_ptr that threads share.  Copies of it count with atomics, and
 * std::atomic_load and std::atomic_store lock a mutex inside the library: no
 * fault.  A plain copy beside std::atomic_store is one.
 *
 * RUN: %s --object=right --max-executions 5000
 * VERDICT: pass
 * RUN: %s --object=wrong
 * EXIT: 1
 * FAULT: use-after-free
 * CLIENT: \{set\(1\)\} \|\| \{copy\(\)\}|\{copy\(\)\} \|\| \{set\(1\)\}
 * RUN: explore %s --object=wrong --client '{copy()} || {copy()}'
 * OUTCOMES: 0,0
 * NOOUTPUT: single_threaded
 */
#include <faultline.h>
#include <memory>

struct cell {
  std::shared_ptr<int> at = std::make_shared<int>(0);
};

static cell *make() { return new cell; }
static void drop(cell *c) { delete c; }

static void set(cell *c, int i) {
  std::atomic_store(&c->at, std::make_shared<int>(i));
}
static int get(cell *c) { return *std::atomic_load(&c->at); }
static int copy(cell *c) {
  std::shared_ptr<int> mine = c->at;
  return *mine;
}

FL_OBJECT(right, make, drop)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, get)

FL_OBJECT(wrong, make, drop)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, copy)
