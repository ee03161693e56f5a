/*
 * A value is looked for under a shared lock, made, and put in under the lock for
 * one.  To hold the shared one until then is a deadlock; the text of C++ is not
 * changed, so that nothing is tried, and nothing is said.
 *
 * RUN: %s -- -std=c++17
 * EXIT: 1
 * VERDICT: violation
 * NOOUTPUT: To make|hold the lock
 */
#include <faultline.h>
#include <mutex>
#include <shared_mutex>

static std::shared_mutex lock;
static int value;

static int look(void) {
  std::shared_lock<std::shared_mutex> l(lock);
  return value;
}

static int get_or_make(int v) {
  if (int old = look())
    return old;
  std::unique_lock<std::shared_mutex> l(lock);
  value = v;
  return v;
}

FL_OBJECT(cache)
FL_OP(int, look)
FL_OP(int, get_or_make, FL_INT(1, 2))
