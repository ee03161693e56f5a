/*
 * A stack in C++ with std::atomic: Treiber's, nodes never freed.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 */
#include <atomic>
#include <faultline.h>

template <class T> class Stack {
  struct Node {
    T value;
    Node *next;
  };
  std::atomic<Node *> top_{nullptr};

public:
  void push(T value) {
    Node *n = new Node{value, top_.load()};
    while (!top_.compare_exchange_weak(n->next, n))
      ;
  }

  T pop(T empty) {
    Node *n = top_.load();
    while (n && !top_.compare_exchange_weak(n, n->next))
      ;
    return n ? n->value : empty;
  }
};

static Stack<int> *create() { return new Stack<int>; }
static void destroy(Stack<int> *s) { delete s; }
static void push(Stack<int> &s, int value) { s.push(value); }
static int pop(Stack<int> &s) { return s.pop(-1); }

FL_OBJECT(stack, create, destroy)
FL_OP(void, push, FL_DATA(1, 3))
FL_OP(int, pop)
FL_SPEC(stack, push = push, pop = pop, empty = -1)
