/*
 * From lines to program counters: the places of an object that lie in the
 * blocks of a cause, for whoever is to run them without interruption.
 *
 * A place is an access (the call of a hook, or a site) or another call, known
 * by the address behind it.  It lies in a block when its line, seen from the
 * block's function, does: what an inlined callee does counts for the line of
 * the call. Every copy of the function counts, inlined ones and those that the
 * compiler specialised or split (.isra, .part, .cold).
 *
 * Control stays in the block from one place to another when there is a way
 * that executes no instruction of another line.  Instructions of no known line
 * are on no line; moved ones are forgiven (within.h).  Those that are not can
 * make it look as if control left where it did not, at -O2; it never stays
 * where it left, as far as the line table is right. tests/agree/region_source.c
 *
 * A block with a loop around it (model/cause.h) is also left when the loop goes
 * on to another round: when the next place stands before this one on the page,
 * or is another copy of it that unrolling made (model/loops.h).
 */
#ifndef CODE_REGION_H
#define CODE_REGION_H

#include "code/flow.h"
#include "model/cause.h"
#include "model/region.h"

struct arena;
struct loops;

/*
 * One region for each block, in the order of the blocks; a block that the
 * object has no place of gets an empty one.  Everything lives in `a`.  `loops`
 * tells the order of lines in a round and the loops inside of blocks.
 */
int regions_of_cause(struct flow *f, struct cause c, struct loops *loops,
                     struct arena *a, struct regions *out, struct error *e);

#endif
