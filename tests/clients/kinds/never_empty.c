/*
 * A queue of one producer and one consumer with an element at all times, and a
 * third thread that asks whether it is empty: it reads two indices apart.  The
 * wrong order of a put is another fault.
 *
 * RUN: %s --client 'put(); {put()} || {get()} || {empty()}'
 * KIND: false-state
 * OUTPUT: empty\(\) returns on a state that never was: tail = 1 of line 28 \
 *     with head = 1 of line 29
 * RUN: %s --client 'put(); {put()} || {get()} || {empty()}' -- -DOTHER_ORDER
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int head, tail;

static void put(void) { atomic_fetch_add(&tail, 1); }

static int get(void) {
  return atomic_load(&head) < atomic_load(&tail) ? atomic_fetch_add(&head, 1)
                                                 : -1;
}

static bool empty(void) {
#ifndef OTHER_ORDER
  int t = atomic_load(&tail);
  int h = atomic_load(&head);
#else
  int h = atomic_load(&head);
  int t = atomic_load(&tail);
#endif
  return h == t;
}

FL_OBJECT(queue)
FL_OP(void, put, FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
FL_OP(bool, empty)
