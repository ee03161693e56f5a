/*
 * ck_fifo of Concurrency Kit (0.7.1): Michael and Scott's queue with counted
 * pointers.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libck-dev
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <ck_fifo.h>
#include <stdlib.h>

static ck_fifo_mpmc_entry_t *node(void) {
  return aligned_alloc(16, sizeof(ck_fifo_mpmc_entry_t));
}
static ck_fifo_mpmc_t *make(void) {
  ck_fifo_mpmc_t *q = aligned_alloc(64, 128);
  ck_fifo_mpmc_init(q, node());
  return q;
}
static void drop(ck_fifo_mpmc_t *q) { free(q); }
static int items[4] = {0, 1, 2, 3};
static void put(ck_fifo_mpmc_t *q, int v) {
  ck_fifo_mpmc_enqueue(q, node(), &items[v]);
}
static int get(ck_fifo_mpmc_t *q) {
  ck_fifo_mpmc_entry_t *garbage;
  int *v;
  return ck_fifo_mpmc_dequeue(q, &v, &garbage) ? *v : -1;
}

FL_OBJECT(fifo, make, drop)
FL_OP(void, put, FL_INT(1, 3))
FL_OP(int, get)
FL_SPEC(queue, enqueue = put, dequeue = get, empty = -1)
