/*
 * From the eliminators of traces to repairs of code (the root-causing paper,
 * section 4.2).  The optimal repairs for many traces are the smallest of all
 * unions of one repair for each trace, overlapping blocks made one.  The
 * product is never built: traces are added one by one, and only the smallest
 * repairs for those so far are kept, since a union with a larger one is larger.
 *
 * (A) the same as the full product.               tests/agree/locate_combine.c
 */
#ifndef LOCATE_COMBINE_H
#define LOCATE_COMBINE_H

#include "locate/eliminate.h"
#include "model/cause.h"

/*
 * The code of a segment: the block that must be atomic for the segment to be.
 * False when it has none (no source is known).  A segment inside another must
 * get a block inside the other's block.
 */
typedef bool block_fn(void *ctx, struct segment s, struct code_block *out);

/*
 * Adds the repairs of one trace to `out`, the subsumed ones dropped.  Returns
 * how many eliminators were left out because a segment has no code.
 */
uint32_t causes_of_trace(const struct eliminators *e, block_fn *block,
                         void *ctx, struct arena *a, struct causes *out);

/* The combination of no trace: one repair, which has no block. */
void combine_begin(struct causes *all);

/* How many repairs are kept, and which: those with the lowest price. */
struct combine_limit {
  uint32_t most;                                /* 0: all */
  uint32_t (*price)(void *ctx, struct cause c); /* NULL: all cost the same */
  void *ctx;
};

/* Keeps what the limit allows; whether that is all. */
bool combine_cut(struct causes *s, struct combine_limit limit);

/*
 * Combines with the repairs of one more trace.  When there are more than the
 * limit allows, those with the lowest price are kept, of equal ones those with
 * the fewest blocks and lines: they are repairs still, but may not be all of
 * the optimal ones, and false is returned.  A trace without repairs leaves
 * none.
 */
bool combine_add(struct causes *all, const struct causes *trace,
                 struct combine_limit limit, struct arena *a);

#endif
