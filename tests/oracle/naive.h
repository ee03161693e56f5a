/*
 * The definitions, slow and plain, that the fast algorithms are compared with.
 * Used by tests only.
 */
#ifndef ORACLE_NAIVE_H
#define ORACLE_NAIVE_H

#include "locate/combine.h"
#include "locate/cycles.h"
#include "locate/eliminate.h"

/*
 * Theorem 1: all decompositions of the trace into intervals whose conflict
 * graph has a cycle, the smallest of them; their intervals of several events.
 */
void naive_definition(const struct conflicts *c, struct eliminators *out);

/* Section 5.2: all decompositions, all simple cycles of their interval graphs,
 * all critical segment sets of them. */
void naive_decompositions(const struct conflicts *c, struct eliminators *out);

/*
 * Section 6.1: all sequences of conflict edges, at most as long as there are
 * threads.  *cycles, unless NULL, is how many are cycles, not counting
 * rotations.
 */
void naive_sequences(const struct conflicts *c, struct eliminators *out,
                     uint64_t *cycles);

/* The critical segments of all cycles that cycles_each finds. */
void naive_cycles(const struct conflicts *c, struct eliminators *out);

/*
 * Whether there is a cycle among the intervals that the nodes with equal
 * numbers in `unit` are: a plain depth-first search over all edges.
 */
bool naive_cyclic(const struct conflicts *c, const uint32_t *unit);

/* Section 4.2: the full product of the repairs of n traces. */
void naive_product(const struct causes *traces, uint32_t n, struct arena *a,
                   struct causes *out);

/* Whether there is a path from a to b that leaves the thread of a. */
bool naive_reaches(const struct conflicts *c, uint32_t a, uint32_t b);

#endif
