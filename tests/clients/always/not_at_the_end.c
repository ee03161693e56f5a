/*
 * The end of each client is right, since threads make up for what they did; a
 * state in between is not, whichever search comes there.
 *
 * RUN: %s --client '{up(); down()} || {nop()}'
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{up(); down()} || {nop()}' --search=dpor
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{up(); down()} || {nop()}' --search=dfs
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{up(); down()} || {nop()}' --search=random
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{up(); down()} || {nop()}' --search=pct
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{up(); down()} || {nop()}' --memory-model=tso
 * EXIT: 1
 * FAULT: invariant
 * RUN: %s --client '{nop()} || {nop()}'
 * EXIT: 0
 */
#include <faultline.h>
#include <stdbool.h>

struct box {
  int full, half;
};

#include <stdlib.h>

static struct box *make(void) { return calloc(1, sizeof(struct box)); }
static void up(struct box *b) {
  b->half = 1;
  b->full = 1;
}
static void down(struct box *b) {
  b->full = 0;
  b->half = 0;
}
static int nop(struct box *b) { return 0 * b->half; }

static bool empty(const struct box *b) { return !b->full; }

FL_OBJECT(box, make, free)
FL_OP(void, up)
FL_OP(void, down)
FL_OP(int, nop)
FL_ALWAYS(empty)
