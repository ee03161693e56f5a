/*
 * The graph of states, as a search over them has noted it: an edge for each
 * step that was made, in any order, by any of several processes.
 *
 * A state is a number below GRAPH_ENDS; the ends of executions are the numbers
 * from there on.  An edge is a word; the answers to choices within the step, if
 * there were any, follow in further words.
 *
 * (E1) two edges of one state differ in the thread or in an answer.
 * (E2) counts and paths of a graph depend neither on the order of its edges nor
 *      on the numbers of its states.              tests/unit/search/graph.c
 */
#ifndef SEARCH_GRAPH_H
#define SEARCH_GRAPH_H

#include "search/explore.h"
#include "search/visited.h"

enum {
  GRAPH_ENDS = (1 << VISITED_BITS) - 3,
  GRAPH_GOOD = GRAPH_ENDS, /* complete, and judged */
  GRAPH_BAD,
  GRAPH_CUT,                           /* not complete */
  GRAPH_ANSWERS = 64,                  /* at most, of one step */
  GRAPH_WORDS = 2 + GRAPH_ANSWERS / 8, /* of an edge, at most */
};

/* Counts stay at this when they would grow beyond. */
#define GRAPH_MANY (UINT64_MAX - 1)

/* Writes an edge; how many words.  The step is a piece of a path: the thread,
 * then at most GRAPH_ANSWERS answers. */
uint32_t graph_edge(uint64_t to[GRAPH_WORDS], uint32_t from, uint32_t into,
                    const uint8_t *step, uint32_t len);

struct graph_log {
  const uint64_t *at;
  uint64_t len;
};

struct graph;
struct graph *graph_new(const struct graph_log *logs, uint32_t n,
                        uint32_t root);
void graph_free(struct graph *g);

/* About the memory that graph_new and the functions below take. */
uint64_t graph_bytes(uint64_t states, uint64_t edges);

struct graph_count {
  /* Paths from the root to the end of a complete execution.  When a circle
   * lies on one, there are GRAPH_MANY. */
  uint64_t interleavings;
  uint64_t bad;     /* … of a bad one */
  uint64_t circles; /* steps within a strongly connected component */
};
struct graph_count graph_count(struct graph *g);

/*
 * The bad execution with the fewest switches, of these the shortest, of these
 * the first in the order of threads and answers.  False: there is none.
 */
bool graph_fewest(struct graph *g, path *out);

/*
 * The graph itself.  States are numbers below graph_states; the first three are
 * the ends, in the order of GRAPH_GOOD, …
 */
struct graph_step {
  uint32_t to;
  uint32_t noted; /* its number among the edges of the logs, from 0 */
  uint8_t thread;
};
uint32_t graph_states(const struct graph *g);
uint32_t graph_edges(const struct graph *g);
uint32_t graph_root(const struct graph *g);
uint32_t graph_first(const struct graph *g, uint32_t state); /* of its edges */
struct graph_step graph_step(const struct graph *g, uint32_t edge);
/* The thread, then its answers to choices. */
void graph_step_path(const struct graph *g, uint32_t edge, path *out);

/* Asserts E1. */
void graph_check_invariants(const struct graph *g);

#endif
