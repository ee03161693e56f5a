/*
 * How long will it be?  From how much work a search has done, and which part
 * of its tree that was (struct explore.share), how much there is in all, as a
 * range.  One end is what the whole so far says, the other what its second
 * half says: where the tree is uneven they differ.
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
  uint32_t stride, skipped; /* every stride-th point is kept */
};

void estimate_add(struct estimate *e, double work, double share);

/* False: too little was done to tell. */
bool estimate_total(const struct estimate *e, double *low, double *high);

/* "1,200,000 states, about 34 % of 3 to 4 million" */
void estimate_words(const struct estimate *e, const char *unit,
                    struct buf *out);

#endif
