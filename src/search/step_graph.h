/*
 * An whole is the whole graph of states of the prepared client (model/steps.h),
 * with what each step accesses: every completion of every state.  It is drawn
 * by the search over states, never by one that leaves out equivalent orders:
 * what a state can still lead to would be lost there.
 *
 * How fine it is, is the caller's choice: which accesses are steps, and whether
 * a thread can be interrupted while it holds a lock.
 */
#ifndef SEARCH_STEP_GRAPH_H
#define SEARCH_STEP_GRAPH_H

#include "model/steps.h"
#include "search/explore.h"

enum step_graph_steps {
  STEPS_CONFLICTING, /* of locations that threads conflict on */
  STEPS_SHARED,      /* of locations that several threads touch */
  STEPS_ALL,
};

struct step_graph_kind {
  enum step_graph_steps steps;
  bool sections; /* while a thread has a lock and can go on, no other does */
  bool guards;   /* a critical section is one step where that makes no
                    difference to what states lead to (see step_graph.c) */
};

struct step_graph {
  struct steps graph;
  bool complete;
  bool reduced; /* some accesses are no steps … */
  bool guards;  /* … and critical sections one */
  uint64_t states, executions, cut, circles;
  uint64_t interleavings, bad; /* as of struct explore */
  /* by edge: where its step (the thread, then answers) is in `paths` */
  uint32_t *path_at;
  path paths;
};

/*
 * `x` has the judge and the budgets, and is used up.  When it does not end with
 * EXPLORE_ALL, or executions were cut, or there is nothing to decide, the whole
 * has no states and is not complete.
 */
enum explore_end step_graph_build(struct step_graph *a, struct explore *x,
                                  const struct step_graph_kind *order);
void step_graph_free(struct step_graph *a);

/* The steps of edges, one behind the other, as they are without reduction. */
void step_graph_path(const struct step_graph *a, const uint32_t *edges,
                     uint32_t n, path *out);

#endif
