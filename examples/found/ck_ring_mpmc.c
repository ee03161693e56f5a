/*
 * ck_ring of Concurrency Kit (0.7.1) with many producers and consumers, by
 * compare-and-swaps in inline assembly.
 *
 * Faultline: weaker than linearizable; a consumer sees "empty" while an
 * earlier producer has not finished, though a later one has returned.
 * With FL_MAY_FAIL for that there is no fault: nothing is lost, duplicated or
 * reordered.
 *
 * PACKAGE: libck-dev
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s -- -DMAY_FAIL
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
  return ck_ring_enqueue_mpmc(&r->r, r->slots, &items[v]);
}
static int get(struct ring *r) {
  int *v;
  return ck_ring_dequeue_mpmc(&r->r, r->slots, &v) ? *v : -1;
}

FL_OBJECT(ring, make, drop)
#ifdef MAY_FAIL
FL_OP(bool, put, FL_INT(1, 3), FL_MAY_FAIL(false))
FL_OP(int, get, FL_MAY_FAIL(-1))
#else
FL_OP(bool, put, FL_INT(1, 3))
FL_OP(int, get)
#endif
