/*
 * Knots: the parts of a trace in which a cycle may lie.
 *
 * Every access is two nodes, as an a and as a b.  An a has edges to the b that
 * it leads to, a b to the a with which it has an undirected edge, unless these
 * lead to it: such an edge has one direction only.  The sequences that
 * trace_tso.c looks for are cycles of this graph, so each lies in one strongly
 * connected part, a knot, and passes there from an a to a b which it does not
 * come before as an event.  Other knots are not kept.
 *
 * Edges are not stored: what a node leads to, and what leads to it, are
 * intervals of chains or buckets.  With a union-find structure over what was
 * not yet visited, the two passes of Kosaraju's algorithm take time
 * proportional to the nodes times the chains.
 */
#ifndef ATOMICITY_KNOTS_H
#define ATOMICITY_KNOTS_H

#include "atomicity/chains.h"

/* Accesses of knot i: events.at[first.at[i] .. first.at[i + 1]), sorted. */
struct knots {
  VEC(uint32_t) events, first;
};

/* Of the events that are in buckets. */
void knots_find(const struct chains *c, struct knots *k);
void knots_free(struct knots *k);

#endif
