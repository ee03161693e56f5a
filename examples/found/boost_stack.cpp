/*
 * boost::lockfree::stack (1.74), Treiber's stack with counted pointers and a
 * free list of its own.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libboost-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <boost/lockfree/stack.hpp>

using stack = boost::lockfree::stack<int>;
static stack *make() { return new stack(2); }
static void drop(stack *s) { delete s; }
static bool push(stack *s, int v) { return s->push(v); }
static int pop(stack *s) {
  int v;
  return s->pop(v) ? v : -1;
}

FL_OBJECT(stack, make, drop)
FL_OP(bool, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
