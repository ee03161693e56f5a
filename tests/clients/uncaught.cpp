/*
 * An exception that nobody catches: its type and its words are shown.
 *
 * RUN: %s
 * EXIT: 1
 * FAULT: abort
 * OUTPUT: uncaught exception std::runtime_error: three is too many
 * RUN: %s -- -DTHROW=7
 * EXIT: 1
 * FAULT: abort
 * OUTPUT: uncaught exception int
 * RUN: %s -- -DTHROW='Own()'
 * EXIT: 1
 * OUTPUT: uncaught exception Own: of my own
 */
#include <faultline.h>
#include <stdexcept>

struct Other {
  virtual ~Other() {}
  int unused = 0;
};
struct Own : Other, std::logic_error {
  Own() : std::logic_error("unused") {}
  const char *what() const noexcept override { return "of my own"; }
};
#ifndef THROW
#define THROW std::runtime_error("three is too many")
#endif

static int n;
static int next() {
  if (++n == 3)
    throw THROW;
  return n;
}

FL_OBJECT(counter)
FL_OP(int, next)
