/*
 * The rivals of a block: accesses elsewhere that conflict with its own, in one
 * trace.  They share a byte in the same life of it, and one of the two writes;
 * unlike the edges of conflict.h they may be of one thread, since in another
 * execution they need not be.
 *
 * What a call does to memory that it allocated itself is nobody else's affair
 * as a rule, and is left out; so is what belongs to no call.
 */
#ifndef LOCATE_RIVALS_H
#define LOCATE_RIVALS_H

#include "locate/section.h"

enum { RIVALS_BLOCKS = 32 }; /* blocks of a cause that are told apart */

/* By node: a bit for each block of the cause. */
struct rivals {
  uint32_t *inside; /* it is in an execution of the block */
  uint32_t *of;     /* it conflicts with an access in one */
};

void rivals_find(struct rivals *r, const struct trace *t,
                 const struct section_trace *s, struct cause c);
void rivals_free(struct rivals *r);

#endif
