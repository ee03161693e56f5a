/*
 * A bounded ring for one producer and one consumer: each side writes only its
 * own index.  It is correct only if puts never overlap each other, and gets
 * never each other: FL_GROUP says so, and Faultline makes no other clients.
 *
 * Faultline: no fault found.
 *
 * RUN: %s --threads 2 --ops 2
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{put(1); put(2); put(3)} || {get(); get()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client 'put(1); {put(2); put(3)} || {get(); get()}' \
 *     --memory-model=tso
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE = 2 };

struct ring {
  atomic_uint head; /* next to get; written by the consumer */
  atomic_uint tail; /* next to put; written by the producer */
  int cells[SIZE];
};

static struct ring *ring_new(void) { return calloc(1, sizeof(struct ring)); }

static bool put(struct ring *r, int value) {
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  unsigned head = atomic_load_explicit(&r->head, memory_order_acquire);
  if (tail - head == SIZE)
    return false;
  r->cells[tail % SIZE] = value;
  atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
  return true;
}

static int get(struct ring *r) {
  unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);
  if (head == tail)
    return -1;
  int value = r->cells[head % SIZE];
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  return value;
}

FL_OBJECT(ring, ring_new, free)
FL_OP(bool, put, FL_DATA(1, 3), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
