/*
 * Optimal trace eliminators (the root-causing paper, sections 5 and 6): sets of
 * segments of operations such that, were each executed without interruption,
 * neither this trace nor an equivalent one could happen; smallest under
 * subsumption.
 *
 * The paper enumerates the chordless cycles of the trace graph with method
 * cliques, takes their critical segments and drops what is subsumed.  Here only
 * the optimal ones are made, each once.  What they look like:
 *
 * Let s_1 … s_m be segments [a_i, b_i], b_i after a_i in one operation.  They
 * eliminate the trace if and only if there is a cycle among them of edges
 * s_i → s_j, where a_i reaches b_j (conflict.h; i = j included): whatever of
 * s_i comes before whatever of s_j, then so do the first of the one and the
 * last of the other.  Threads that a cycle passes in program order are hidden
 * in "reaches".  A set is optimal if and only if
 *
 * (E1) it is one segment with a_1 reaching b_1, or it is a cycle
 *      s_1 → s_2 → … → s_m → s_1, m ≥ 2, without any other edge; and
 * (E2) every edge a_i → b_j of the cycle is tight: no later node of a_i's
 *      thread reaches b_j, and a_i reaches no earlier node of b_j's operation.
 *
 * If there is another edge, fewer segments form a cycle; if an edge is not
 * tight, a smaller segment does.  Conversely, with (E1) and (E2) each shrunk
 * segment loses its only edge in or out.  All segments of an optimal set lie in
 * different threads.                             tests/agree/locate_eliminate.c
 *
 * Bound.  There are at most |nodes| × |threads| tight edges, found in one pass.
 * The tight edges from one thread to another are sorted by both ends, so what
 * can follow an edge is a range of a list.  With two threads the search takes
 * O(n log n) and the size of the answer.  With more, it extends chains that
 * have no edge but their own and from whose end the start can still be reached
 * (threads being allowed to repeat) with as many edges as are left; the work is
 * the number of such chains, times threads² for each, plus one pass, for each
 * node at which a chain can start, over the tight edges that are so near.
 * Chains that are not part of an answer are left only where they must revisit a
 * thread or meet a chord to close.  The k^n cycles of the paper's figure 4 are
 * all optimal and take k^n; when a smaller eliminator lies inside one of the
 * segments, none of them is walked.
 */
#ifndef LOCATE_ELIMINATE_H
#define LOCATE_ELIMINATE_H

#include "base/vec.h"
#include "locate/conflict.h"

struct segment {
  uint32_t first, last; /* nodes of one operation, first before last */
};

/* (E3) the segments of an eliminator are sorted by their first node. */
struct eliminators {
  VEC(struct segment) segments;
  VEC(uint32_t) ends; /* of each eliminator: where its segments end */
  bool cut;           /* a limit was reached: there may be more */
  uint64_t steps;     /* chains extended */
};

struct eliminate_limits {
  uint32_t results; /* 0 is no limit */
  uint64_t steps;   /* likewise */
  bool unpruned;    /* walks also chains that cannot come back to their start */
};

static inline uint32_t eliminators_count(const struct eliminators *e) {
  return e->ends.len;
}
static inline uint32_t eliminator_start(const struct eliminators *e,
                                        uint32_t i) {
  return i ? e->ends.at[i - 1] : 0;
}
static inline uint32_t eliminator_size(const struct eliminators *e,
                                       uint32_t i) {
  return e->ends.at[i] - eliminator_start(e, i);
}

static inline const struct segment *
eliminator_segments(const struct eliminators *e, uint32_t i) {
  return e->segments.at + eliminator_start(e, i);
}

/* All optimal eliminators of a trace; `out` is initialised. */
void eliminate(const struct conflicts *c, struct eliminate_limits limits,
               struct eliminators *out);

/* Appends a set of segments, sorting it (S1). */
void eliminators_add(struct eliminators *e, const struct segment *s,
                     uint32_t n);
void eliminators_sort(struct eliminators *e); /* by size, then by nodes */
bool eliminators_equal(const struct eliminators *a,
                       const struct eliminators *b); /* both sorted */
void eliminators_free(struct eliminators *e);

#endif
