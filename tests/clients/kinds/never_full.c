/*
 * A queue of two places that counts by two indices, which a put reads apart:
 * with an old head it looks full, and never was.  The other order of the looks
 * is right.  A sum of two numbers that are read apart is no decision.
 *
 * RUN: %s --client 'put(); {put()} || {get(); put()}'
 * KIND: false-state
 * OUTPUT: put\(\) returns on a state that never was: head = 0 of line 28 with \
 *     tail = 2 of line 29
 * RUN: %s --client 'put(); {put()} || {get(); put()}' -- -DOTHER_ORDER
 * VERDICT: pass
 * RUN: %s --client 'put(); {sum()} || {get(); put()}' -- -DSUM
 * KIND: none
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { PLACES = 2 };
static atomic_int head, tail;

static bool put(void) {
  for (;;) {
#ifdef OTHER_ORDER
    int t = atomic_load(&tail);
    int h = atomic_load(&head);
#else
    int h = atomic_load(&head);
    int t = atomic_load(&tail);
#endif
    if (t - h >= PLACES)
      return false;
    if (atomic_compare_exchange_strong(&tail, &t, t + 1))
      return true;
  }
}

static int get(void) {
  for (;;) {
    int h = atomic_load(&head);
    int t = atomic_load(&tail);
    if (h == t)
      return -1;
    if (atomic_compare_exchange_strong(&head, &h, h + 1))
      return h;
  }
}

FL_OBJECT(queue)
FL_OP(bool, put)
FL_OP(int, get)
#ifdef SUM
static int sum(void) {
  int h = atomic_load(&head);
  int t = atomic_load(&tail);
  return 10 * h + t;
}
FL_OP(int, sum)
#endif
