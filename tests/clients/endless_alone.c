/*
 * One thread that never returns, though nobody disturbs it: its own lock, its
 * recursion, its constructor.  What is not seen to go round is not called
 * endless (-DCOUNTS), and what may wait (FL_BLOCKING) is only cut.
 *
 * RUN: %s
 * EXIT: 1
 * FAULT: endless-loop
 * CLIENT: ^\{push\(1\); pop\(\)\}$
 * OUTPUT: pop\(\): it loops for ever
 * RUN: %s -- -DSETUP
 * EXIT: 1
 * FAULT: endless-loop
 * OUTPUT: list_new\(\)
 * RUN: %s -- -DCOUNTS
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: has not finished within
 * NOOUTPUT: endless loop
 * RUN: %s --max-executions 100 -- -DWAITS
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: no execution of .* clients? came to its end \(--max-steps\)
 * NOOUTPUT: endless loop
 */
#include <faultline.h>
#include <stdatomic.h>

static atomic_int head, lock;

static void push(int v) { head = v; }

#ifdef SETUP
static void list_new(void) {
  for (;;) {
    atomic_fetch_add(&lock, 1);
    atomic_fetch_sub(&lock, 1);
  }
}
FL_OBJECT(list, list_new)
#else
FL_OBJECT(list)
#endif
FL_OP(void, push, FL_INT(1, 2))

#ifdef COUNTS
static atomic_long looks;
static int pop(void) {
  while (!lock)
    looks++;
  return 0;
}
FL_OP(int, pop)
#elif defined WAITS
static atomic_long looks;
static int pop(void) {
  while (!lock)
    looks++;
  return 0;
}
FL_OP(int, pop, FL_BLOCKING)
#else
static int pop(void) {
  for (;;) {
    if (atomic_exchange(&lock, 1))
      continue;
    if (!head) {
      lock = 0;
      return 0;
    }
    if (atomic_exchange(&lock, 1)) { /* its own lock */
      lock = 0;
      continue;
    }
    int v = head;
    head = 0;
    lock = 0;
    return v;
  }
}
FL_OP(int, pop)
#endif
