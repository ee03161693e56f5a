/*
 * A step graph is the whole graph of states of the prepared client
 * (model/steps.h): every state, every step from it, and what each step
 * accesses.  The search over states builds it.  A search that skips equivalent
 * orders could not: the graph would lack ways on from a state.
 *
 * The caller chooses how fine it is: which accesses are steps, and whether a
 * thread can be interrupted while it holds a lock.
 *
 * (K1) a complete graph has N1 and N2 of model/steps.h.
 * (K2) the path of edge e is paths[path_at[e] … path_at[e + 1]): the thread,
 *      then its answers to choices.
 */
#ifndef SEARCH_STEP_GRAPH_H
#define SEARCH_STEP_GRAPH_H

#include "model/steps.h"
#include "search/explore.h"

enum step_graph_steps {
  STEP_GRAPH_CONFLICTING, /* of locations that threads conflict on */
  STEP_GRAPH_SHARED,      /* of locations that several threads touch */
  STEP_GRAPH_ALL,
};

struct step_graph_kind {
  enum step_graph_steps steps;
  bool sections; /* while a thread holds a lock and can go on, no other steps */
  bool guards;   /* a critical section is one step where that does not change
                    what states lead to (see step_graph.c) */
};

struct step_graph {
  struct steps graph;
  bool complete;
  bool reduced; /* some accesses are no steps … */
  bool guards;  /* … and a critical section is one step */
  uint64_t states, executions, cut, circles;
  uint64_t interleavings, bad; /* as in struct explore */
  uint32_t *path_at;           /* K2 */
  path paths;
};

/*
 * `x` has the judge and the budgets, and is used up.  When the search does not
 * end with EXPLORE_ALL, or cut executions, or the client has nothing to decide,
 * the graph is not complete and has no states.
 */
enum explore_end step_graph_build(struct step_graph *g, struct explore *x,
                                  const struct step_graph_kind *kind);
void step_graph_free(struct step_graph *g);

/* The steps of edges, one behind the other, as they are without reduction. */
void step_graph_path(const struct step_graph *g, const uint32_t *edges,
                     uint32_t n, path *out);

#endif
