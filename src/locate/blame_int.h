/* Between the files of blame.h; nobody else includes this. */
#ifndef LOCATE_BLAME_INT_H
#define LOCATE_BLAME_INT_H

#include "locate/blame.h"

#include "base/arena.h"
#include "base/map128.h"

enum {
  MOST_RANKED = 400000, /* pairs of a cause and a trace */
  LEAST_RANKED = 64,    /* causes, however many traces there are */
};

typedef VEC(struct rank_trace) rank_traces;

/* The good traces, at most so many. */
void blame_good(const struct blame *b, uint32_t most, rank_traces *out);

/* Finds what repairs one failing trace, unless it is known. */
void blame_find(struct blame *b, struct located *l);

/* How many causes are ranked, but not fewer than `least`. */
uint32_t blame_most_ranked(const struct blame *b, uint32_t least);

/* Equal causes have equal hashes, different ones different ones. */
struct hash128 blame_hash(struct cause c);

#endif
