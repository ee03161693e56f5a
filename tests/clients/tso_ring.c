/*
 * A ring for one producer and one consumer under store buffers: right by
 * happens-before, which is the default there, and not by the clock.
 *
 * RUN: %s --memory-model=tso --max-executions 20000
 * VERDICT: pass
 * OUTPUT: criterion happens-before
 * RUN: %s --client 'put(1); {put(2); put(3)} || {get(); get()}' \
 *     --memory-model=tso
 * VERDICT: pass
 * RUN: %s --client 'put(1); {put(2); put(3)} || {get(); get()}' \
 *     --memory-model=tso --criterion=sequential
 * VERDICT: violation
 * RUN: %s --memory-model=tso --criterion=linearizability
 * VERDICT: violation
 * OUTPUT: put\(\) needs a fence after line 49, before the return
 * OUTPUT: By happens-before, the default under tso, these results are right
 * RUN: %s --memory-model=tso -- -DEARLY
 * VERDICT: violation
 * RUN: %s --memory-model=tso -- -DGIVEN_BACK
 * VERDICT: violation
 * RUN: %s --memory-model=tso -- -DTWO
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

#define N 2
static atomic_uint head, tail;
static int slot[N];

static unsigned load(atomic_uint *at) {
  return atomic_load_explicit(at, memory_order_acquire);
}
static void store(atomic_uint *at, unsigned to) {
  atomic_store_explicit(at, to, memory_order_release);
}

static bool put(int v) {
  unsigned t = load(&tail);
  if (t - load(&head) == N)
    return false;
#ifdef EARLY /* published before it is there */
  store(&tail, t + 1);
  slot[t % N] = v;
#else
  slot[t % N] = v;
  store(&tail, t + 1);
#endif
  return true;
}

static int get(void) {
  unsigned h = load(&head);
  if (h == load(&tail))
    return -1;
#ifdef GIVEN_BACK /* before it is read */
  store(&head, h + 1);
  return slot[h % N];
#else
  int v = slot[h % N];
  store(&head, h + 1);
  return v;
#endif
}

FL_OBJECT(ring)
FL_OP(bool, put, FL_DATA(1, 3), FL_GROUP("producer"))
#ifdef TWO /* consumers */
FL_OP(int, get)
#else
FL_OP(int, get, FL_GROUP("consumer"))
#endif
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1, capacity = 2)
