/*
 * FL_PROGRESS of one client, which the search has found no fault in.  A search
 * over states, of its own, looks for one in which an operation waits for
 * others; if there is none, its graph of states is asked for circles and long
 * calls.
 *
 * For wait_free each access is a step.  For the others, accesses without a
 * conflict are none: they do not make a circle, nor break one.
 */
#include "hunt/inside.h"

#include "search/progress.h"
#include "search/step_graph.h"

enum {
  ROUNDS = 3
}; /* of a circle: its first may differ, since loops are noted
      from their second on (rt/spin.c) */

bool hunt_has_progress(const struct hunt *h) {
  const struct fl_suite *s = h->checker.suite;
  return s && s->abi >= 4 && s->progress && !h->target->regions;
}

static bool may_wait(const struct fl_suite *s, uint32_t op) {
  const struct fl_op *o = s->ops;
  while (op--)
    o = o->next;
  return spec_op_has(o, FL_ITEM_BLOCKING);
}

static void put_path(const struct step_graph *g, struct progress_fault *f,
                     path *out) {
  uint32_t n = f->edges.len;
  for (uint32_t i = 1; f->round && i < ROUNDS; i++)
    for (uint32_t k = n - f->round; k < n; k++)
      vec_push(&f->edges, f->edges.at[k]);
  step_graph_path(g, f->edges.at, f->edges.len, out);
}

static bool ask(const struct hunt *h, const struct client *c,
                const struct step_graph *g, path *out) {
  const struct fl_suite *s = h->checker.suite;
  bool *waits = xcalloc(c->ncalls + 1u, sizeof *waits);
  struct progress_fault f;
  for (uint32_t i = 0; i < c->ncalls; i++)
    waits[i] = may_wait(s, c->calls[i].op);
  bool fails =
      progress_fails(&g->graph,
                     &(struct progress_question){s->progress, s->progress_steps,
                                                 c->ncalls, waits},
                     &f);
  if (fails)
    put_path(g, &f, out);
  progress_fault_free(&f);
  free(waits);
  return fails;
}

enum hunt_progress hunt_progress(struct hunt *h, const struct client *c,
                                 struct explore *x) {
  struct step_graph g;
  struct step_graph_kind kind = {.steps = h->checker.suite->progress ==
                                                  FL_PROGRESS_wait_free
                                              ? STEP_GRAPH_ALL
                                              : STEP_GRAPH_CONFLICTING};
  x->visited = NULL;
  x->bound_preemptions = false;
  rt_watch_progress(true);
  enum explore_end end = step_graph_build(&g, x, &kind);
  rt_watch_progress(false);
  enum hunt_progress answer = PROGRESS_UNKNOWN;
  if (end == EXPLORE_ALL && !x->cut && !g.complete) /* there is one execution */
    answer = x->bad_count ? PROGRESS_FAILS : PROGRESS_HOLDS;
  else if (g.complete)
    answer = ask(h, c, &g, &x->bad) ? PROGRESS_FAILS : PROGRESS_HOLDS;
  step_graph_free(&g);
  return answer;
}
