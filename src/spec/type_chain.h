/*
 * Sequences of which the ends are used (stack, queue, deque), as numbers.
 *
 * Pushing makes a node that points to the one pushed before; a sequence is two
 * windows over such chains, the front one read from its top down, the back one
 * from its bottom up:
 *
 *     front window: f1 <- f2 <- f3      back window: b1 <- b2
 *     the sequence: f3 f2 f1 b1 b2
 *
 * So popping at either end makes no node: it moves the top down, or shortens
 * the other window from its bottom, whose element is an ancestor of its top at
 * a known distance, found in O(log n) by jump pointers (Myers 1983).  A push
 * costs one node, whatever the length.
 *
 * Equal contents have equal numbers: a sequence is looked up by its length and
 * by its value as a polynomial at two fixed points modulo 2^61 - 1, which each
 * end can update in O(1).  Two different sequences of n elements are taken for
 * one with a probability of about (n / 2^61)^2, below 2^-80 for a million.
 *
 * Sequence 0 is the empty one.
 *
 * (C1) a node has the depth of its parent and one; its jump is an ancestor, or
 *      no node.
 * (C2) a window is not longer than the depth of its top.
 * (C3) a sequence's polynomials are those of its elements, and it is found
 *      under its number.
 */
#ifndef SPEC_TYPE_CHAIN_H
#define SPEC_TYPE_CHAIN_H

#include "base/map128.h"
#include "base/slow.h"
#include "base/vec.h"
#include "model/datum.h"

struct chain_node {
  datum value;
  uint32_t parent, jump, depth;
};

struct chain_window {
  uint32_t top, len;
};

struct chain {
  struct chain_window front, back;
  uint64_t hash[2];
};

/* Powers of the two points. */
struct chain_powers {
  uint64_t of[2];
};

struct chain_table {
  VEC(struct chain_node) nodes;    /* [0] is no node */
  VEC(struct chain) chains;        /* by number */
  VEC(struct chain_powers) powers; /* [n]: to the n */
  uint64_t inverse[2];             /* of the points */
  struct map128 numbers;
};

enum chain_end { CHAIN_FRONT, CHAIN_BACK };

void chains_init(struct chain_table *c);
void chains_free(struct chain_table *c);
void chains_check_invariants(struct chain_table *c); /* asserts C1 to C3 */
uint64_t chains_bytes(const struct chain_table *c);

static inline uint32_t chain_len(const struct chain_table *c, uint32_t chain) {
  check_slow(chain < c->chains.len);
  return c->chains.at[chain].front.len + c->chains.at[chain].back.len;
}

uint32_t chain_push(struct chain_table *c, uint32_t chain, enum chain_end end,
                    datum value);
/* The chain is not empty. */
datum chain_peek(const struct chain_table *c, uint32_t chain,
                 enum chain_end end);
uint32_t chain_pop(struct chain_table *c, uint32_t chain, enum chain_end end);

/* The i-th element from the front. */
datum chain_get(const struct chain_table *c, uint32_t chain, uint32_t i);
/* Without the i-th element; costs as many pushes as there are elements between
 * it and the nearer end. */
uint32_t chain_remove(struct chain_table *c, uint32_t chain, uint32_t i);
/* All elements, from the front; in O(n). */
void chain_copy(const struct chain_table *c, uint32_t chain, datum *out);

/* Drops all sequences but the empty one and those in `keep`, which get new
 * numbers in place. */
void chains_forget(struct chain_table *c, uint32_t *keep, uint32_t n);

#endif
