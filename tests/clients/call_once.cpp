/*
 * std::call_once keeps what it calls in the C++ library's thread-local memory:
 * private, and as it was at the start of each execution.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <mutex>

static std::once_flag once;
static int value;

static int get() {
  std::call_once(once, [] { value = value + 5; });
  return value;
}

FL_OBJECT(lazy)
FL_OP(int, get)
