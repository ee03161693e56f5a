/*
 * Which repair is the cause?  Those that forbid fewer good executions first
 * (the root-causing paper, section 6.2): f(R) is the number of linearizable
 * traces that R eliminates.  Of equal ones, the one with fewer blocks, then
 * with fewer accesses inside its blocks, then with fewer lines; what is equal
 * in all of these has the same rank.
 *
 * R eliminates a trace if and only if the trace is not conflict-serializable
 * with the blocks of R as transactions and every other access by itself
 * (Theorem 1).                                       tests/agree/locate_rank.c
 */
#ifndef LOCATE_RANK_H
#define LOCATE_RANK_H

#include "locate/conflict.h"
#include "model/cause.h"

#define UNIT_ALONE UINT32_MAX

/*
 * Whether the graph of transactions has a cycle.  Neighbouring nodes of one
 * operation with equal numbers in `unit`, not UNIT_ALONE, are a transaction;
 * any other node is one by itself.  O(nodes × threads²).
 */
bool conflicts_cyclic(const struct conflicts *c, const uint32_t *unit);

struct rank_trace {
  const struct conflicts *conflicts;
  const void *data; /* the caller's */
};

/*
 * Says for each node of `t` in which execution of a block of `r` it lies, by
 * numbers as above, or UNIT_ALONE.  An execution of a block is a run of
 * accesses in one activation of its function, all on its lines, in whatever
 * order: when the last line of a loop's body is followed by the first, the run
 * goes on.  Then a repair eliminates each trace that it was made from (misses
 * is 0), since the accesses of a segment lie on the lines of its block.
 */
typedef void units_fn(void *ctx, struct cause r, const struct rank_trace *t,
                      uint32_t *unit);

struct rank_input {
  const struct rank_trace *good; /* linearizable */
  uint32_t ngood;
  const struct rank_trace *bad; /* what is to be repaired */
  uint32_t nbad;
  units_fn *units;
  void *ctx;
};

struct ranked {
  struct cause cause;
  uint32_t rank;       /* 1 + how many are better */
  uint32_t eliminates; /* good traces */
  uint32_t misses;     /* bad traces that its blocks do not eliminate */
  uint64_t events;     /* accesses of the bad traces inside its blocks */
  uint64_t lines;
};

/* How many good traces a cause eliminates. */
uint32_t rank_price(struct cause c, const struct rank_input *in);

/* Fills out[0 … causes->len), best first. */
void rank_causes(const struct causes *causes, const struct rank_input *in,
                 struct ranked *out);

#endif
