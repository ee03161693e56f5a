/*
 * ck_ring of Concurrency Kit (0.7.1) with one producer and one consumer:
 * plain loads and stores, and fences in inline assembly.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libck-dev
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <ck_ring.h>
#include <stdlib.h>

struct ring {
  ck_ring_t r;
  ck_ring_buffer_t slots[4];
};
static struct ring *make(void) {
  struct ring *r = calloc(1, sizeof *r);
  ck_ring_init(&r->r, 4);
  return r;
}
static void drop(struct ring *r) { free(r); }
static int items[4] = {0, 1, 2, 3};
static bool put(struct ring *r, int v) {
  return ck_ring_enqueue_spsc(&r->r, r->slots, &items[v]);
}
static int get(struct ring *r) {
  int *v;
  return ck_ring_dequeue_spsc(&r->r, r->slots, &v) ? *v : -1;
}

FL_OBJECT(ring, make, drop)
FL_OP(bool, put, FL_INT(1, 3), FL_GROUP("producer"))
FL_OP(int, get, FL_GROUP("consumer"))
