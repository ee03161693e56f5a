/*
 * D-PCT block by block, as the tool of the CGVT paper (Zhang, Wu, Zhang) runs
 * long clients.  In a block every thread makes one call or a few, by priorities
 * that are drawn for the block, with change points inside of it.  When all have
 * made their calls, the next block begins.  One draw for a whole execution
 * would switch only a few times in a thousand calls.
 *
 *     T1: a1 | a2 a3 | a4     three blocks, at most two calls of a thread in
 *     T2: b1 |  b2   | b3     each; b1 can overlap a1 only
 */
#ifndef SEARCH_BLOCKS_H
#define SEARCH_BLOCKS_H

#include "search/explore.h"

struct blocks {
  uint32_t most; /* calls of a thread in a block: 1 to `most` */
  bool one;      /* in each block, one thread (drawn) makes a single call */
  bool coin; /* no priorities: each thread of the block is as likely to step */
};

/* A sampler like explore_dpct, with its estimates. */
enum explore_end explore_blocks(struct explore *x, const struct blocks *b);

#endif
