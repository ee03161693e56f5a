/*
 * D-PCT block by block, as the CGVT paper's tool runs long clients: in a block
 * every thread makes a call or a few, by priorities that are drawn for it with
 * change points inside of it; when all have made theirs, the next begins.  One
 * draw for a whole execution would switch only a few times in a thousand calls.
 */
#ifndef SEARCH_BLOCKS_H
#define SEARCH_BLOCKS_H

#include "search/explore.h"

struct blocks {
  uint32_t most; /* calls of a thread in a block: 1 to so many */
  bool one;      /* in each block, of one thread that is drawn only one */
};

/* A sampler like explore_dpct, with its estimates. */
enum explore_end explore_blocks(struct explore *x, const struct blocks *b);

#endif
