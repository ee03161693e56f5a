/*
 * The simple chordless cycles, with a conflict edge, of the trace graph with
 * method cliques: the root-causing paper's G_τ^M, section 6.1.  By its Lemma 4
 * they are the cycles that visit each thread at most once and at least two
 * threads.  A cycle enters a thread by a conflict edge at one node and leaves
 * it by another at the same node, at a later one, or at an earlier one of the
 * same operation; in the last case the nodes between are a critical segment.
 *
 * (The lemma overlooks chords that are conflict edges: a cycle may visit each
 * thread once and yet have one.  Such a cycle is not optimal, and is listed
 * here as it is by the paper's algorithm; cycle_has_chord() tells.)
 *
 * This is for counting, showing and testing: the eliminators are made without
 * it, since there may be |cf|^|threads| cycles where few eliminators are left.
 */
#ifndef LOCATE_CYCLES_H
#define LOCATE_CYCLES_H

#include "locate/conflict.h"
#include "locate/eliminate.h"

/*
 * (Y1) edges[i].to and edges[i + 1].from (cyclically) lie in one thread;
 * (Y2) no two edges begin in one thread; the first begins in the least one.
 */
struct cycle {
  const struct conflict_edge *edges;
  uint32_t nedges;
};

/* Called once for each cycle; false ends the enumeration. */
typedef bool cycle_fn(void *ctx, const struct cycle *cycle);

/* How many were found; all of them unless `each` said no. */
uint64_t cycles_each(const struct conflicts *c, cycle_fn *each, void *ctx);

/* The critical segments, at most one for each edge; how many. */
uint32_t cycle_segments(const struct conflicts *c, const struct cycle *cycle,
                        struct segment *out);

/* Whether a conflict edge joins two of its nodes that is not its own. */
bool cycle_has_chord(const struct conflicts *c, const struct cycle *cycle);

#endif
