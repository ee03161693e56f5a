/*
 * Estimates the work of a whole search from the work so far and its share of
 * the search tree (struct explore.share).  The estimate is a range: one end
 * extrapolates all work so far, the other its second half.  They differ if the
 * tree is uneven.  Example: 100 states are 10 % of the tree, and the last 50 of
 * them 2 %: 1,000 to 2,350 states.
 */
#ifndef CAMPAIGN_ESTIMATE_H
#define CAMPAIGN_ESTIMATE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { ESTIMATE_POINTS = 64 };

struct estimate {
  struct estimate_point {
    double work, share;
  } at[ESTIMATE_POINTS];
  uint32_t len;
  uint32_t stride, skipped; /* one of `stride` points is kept */
};

void estimate_add(struct estimate *e, double work, double share);

/* False: too little was done for an estimate. */
bool estimate_total(const struct estimate *e, double *low, double *high);

/* "1,200,000 states, about 34 % of 3 to 4 million" */
void estimate_words(const struct estimate *e, const char *unit,
                    struct buf *out);

#endif
