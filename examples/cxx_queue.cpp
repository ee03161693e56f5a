/*
 * A queue in C++: std::deque behind a std::mutex, with a size() that forgets
 * the lock.  It reads the two ends of the deque one after the other.
 *
 * Faultline: not linearizable; size() can see one end from before a push or
 * pop and the other from after it.  With -DLOCKED: no fault found.
 *
 * RUN: %s --client 'push(1); {push(2); pop(); push(3)} || {size()}'
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s --threads 2 --ops 1 -- -DLOCKED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <deque>
#include <mutex>

class Queue {
public:
  void push(int value) {
    std::lock_guard<std::mutex> guard(lock_);
    values_.push_back(value);
  }

  int pop() {
    std::lock_guard<std::mutex> guard(lock_);
    if (values_.empty())
      return -1;
    int value = values_.front();
    values_.pop_front();
    return value;
  }

  int size() {
#ifdef LOCKED
    std::lock_guard<std::mutex> guard(lock_);
#endif
    return static_cast<int>(values_.size());
  }

private:
  std::mutex lock_;
  std::deque<int> values_;
};

static Queue *create() { return new Queue; }
static void destroy(Queue *q) { delete q; }
static void push(Queue &q, int value) { q.push(value); }
static int pop(Queue &q) { return q.pop(); }
static int size(Queue &q) { return q.size(); }

FL_OBJECT(queue, create, destroy)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_OP(int, size)
