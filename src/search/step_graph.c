/*
 * Builds the step graph while the search over states runs.
 *
 * Guards (rt_guards) make the graph smaller: a critical section is one step.
 * The states that are left lead to the same ends as without guards:
 *
 * Bad executions: take one in which sections are interrupted.  The execution in
 * which each section is made where it begins has the same results, and its
 * real-time order is at least as strict.  So it is bad too.
 *     T1: lock  x = 1         unlock          T1: lock x = 1 unlock
 *     T2:               y = 1          is as  T2:                   y = 1
 *
 * Good executions: take one with a linearization.  A section can be made at any
 * moment between its lock and its unlock.  Of a call with several sections, the
 * first is made at its lock and the last at its unlock, so the call keeps its
 * interval.  A call with one section shrinks to a moment: its linearization
 * point, which lies within.  So real time still allows the linearization.
 * Under quiescent consistency, and of a relaxed call, there is no such point:
 * then the caller asks for no guards.
 */
#include "search/step_graph.h"

#include "base/map128.h"
#include "base/slow.h"
#include "search/graph.h"

#include <assert.h>

typedef VEC(struct step) step_run;

struct step_graph_builder {
  const struct step_graph_kind *kind;
  struct step_graph *graph;
  struct step now;       /* the step that is being made */
  uint32_t now_call;     /* … and its call */
  struct rt_folds folds; /* further accesses of that step */
  step_run run;          /* the step with these */
  struct map128 known;   /* runs, to the number of their first step + 1 */
  VEC(uint32_t) steps;   /* by edge of the log */
};

/* ---- while the search goes on ---- */

static uint32_t may(void *ctx, uint32_t enabled) {
  const struct step_graph_builder *b = ctx;
  uint32_t holders = 0;
  for (uint32_t left = b->kind->sections ? enabled : 0; left;
       left &= left - 1) {
    struct rt_stand at;
    rt_stand(__builtin_ctz(left), &at);
    holders |= at.held ? left & -left : 0;
  }
  return holders ? holders : enabled;
}

static void stepping(void *ctx, uint8_t thread) {
  struct step_graph_builder *b = ctx;
  struct rt_access access;
  struct rt_stand at;
  rt_pending(thread, &access);
  rt_stand(thread, &at);
  bool calls = at.call != EVENT_NO_CALL && !at.begun;
  b->now = (struct step){.pc = at.pc,
                         .addr = access.addr,
                         .size = access.size,
                         .call = at.call,
                         .thread = thread,
                         .kind = access.kind,
                         .flags = (uint8_t)((calls ? STEP_CALLS : 0) |
                                            (at.held ? STEP_INSIDE : 0))};
  b->now_call = at.call;
  vec_clear(&b->folds.at);
}

static void add_folds(struct step_graph_builder *b) {
  for (uint32_t i = 0; i < b->folds.at.len; i++) {
    const struct rt_fold *f = &b->folds.at.at[i];
    if (f->thread == b->now.thread)
      vec_push(&b->run, ((struct step){.pc = f->pc,
                                       .addr = f->addr,
                                       .size = f->size,
                                       .call = b->now_call,
                                       .thread = f->thread,
                                       .kind = f->kind,
                                       .flags = STEP_INSIDE}));
  }
  b->run.at[0].more = b->run.len - 1;
}

/* A thread that has gone on to another call has returned from this one. */
static bool has_returned(const struct step_graph_builder *b, uint8_t thread,
                         bool ended) {
  struct rt_stand at;
  if (b->now_call == EVENT_NO_CALL)
    return false;
  if (ended || rt_call_done(b->now_call))
    return true;
  /* A buffer may be empty now; a thread may have ended inside of the call. */
  if (rt_is_buffer(thread) || !rt_is_parked(thread))
    return false;
  rt_stand(thread, &at);
  return at.call != b->now_call;
}

static void stepped(void *ctx, uint8_t thread, bool ended) {
  struct step_graph_builder *b = ctx;
  bool fresh;
  if (has_returned(b, thread, ended))
    b->now.flags |= STEP_RETURNS;
  vec_clear(&b->run);
  vec_push(&b->run, b->now);
  add_folds(b);
  struct hash128 key = hash128(b->run.at, b->run.len * sizeof *b->run.at, 0);
  uint32_t *number = map128_put(&b->known, key, &fresh);
  if (fresh) {
    *number = b->graph->graph.steps.len + 1;
    for (uint32_t i = 0; i < b->run.len; i++)
      vec_push(&b->graph->graph.steps, b->run.at[i]);
  }
  vec_push(&b->steps, *number - 1);
}

static void again(void *ctx) {
  struct step_graph_builder *b = ctx;
  map128_clear(&b->known);
  vec_clear(&b->steps);
  vec_clear(&b->graph->graph.steps);
}

/* ---- in the end ---- */

static void add_edge(struct step_graph_builder *b, struct graph *g,
                     uint32_t e) {
  struct step_graph *t = b->graph;
  struct graph_step s = graph_step(g, e);
  assert(s.to < t->graph.nstates && s.noted < b->steps.len);
  t->graph.edges[e].to = s.to;
  t->graph.edges[e].thread = s.thread;
  assert(b->steps.at[s.noted] < 1u << 26); /* the field has 26 bits */
  t->graph.edges[e].step = b->steps.at[s.noted] & 0x3ffffff;
  t->path_at[e] = t->paths.len; /* K2 */
  graph_step_path(g, e, &t->paths);
}

/* N1 and N2 of model/steps.h; answers are compared by graph_new. */
static bool is_sound(const struct steps *g) {
  for (uint32_t s = 0; s < g->nstates; s++) {
    if (s < STEPS_ENDS && g->first[s] != g->first[s + 1])
      return false;
    for (uint32_t e = g->first[s]; e + 1 < g->first[s + 1]; e++)
      if (g->edges[e].thread > g->edges[e + 1].thread)
        return false;
  }
  return true;
}

static void take_graph(void *ctx, struct graph *g) {
  struct step_graph_builder *b = ctx;
  struct step_graph *t = b->graph;
  uint32_t n = graph_states(g), edges = graph_edges(g);
  assert(edges == b->steps.len); /* one note for each edge of the log */
  t->graph.nstates = n;
  t->graph.root = graph_root(g);
  t->graph.sections = b->kind->sections;
  t->graph.first = xmalloc((n + 1u) * sizeof *t->graph.first);
  t->graph.edges = xmalloc((edges + 1u) * sizeof *t->graph.edges);
  t->path_at = xmalloc((edges + 1u) * sizeof *t->path_at);
  for (uint32_t s = 0; s < n; s++)
    t->graph.first[s] = graph_first(g, s);
  t->graph.first[n] = edges;
  for (uint32_t e = 0; e < edges; e++)
    add_edge(b, g, e);
  t->path_at[edges] = t->paths.len;
  t->complete = true;
  check_slow(is_sound(&t->graph)); /* K1 */
}

enum explore_end step_graph_build(struct step_graph *t, struct explore *x,
                                  const struct step_graph_kind *kind) {
  assert(!x->parallel && !x->watch);
  *t = (struct step_graph){0};
  struct step_graph_builder b = {.kind = kind, .graph = t};
  struct explore_watch watch = {&b, may, stepping, stepped, again, take_graph};
  x->watch = &watch;
  x->graph = true;
  x->all = true;
  x->no_reduction |= kind->steps == STEP_GRAPH_ALL;
  if (kind->steps == STEP_GRAPH_SHARED)
    rt_reduce_less();
  t->reduced = !x->no_reduction;
  t->guards = x->guards = kind->guards;
  if (kind->guards)
    rt_folds(&b.folds);
  enum explore_end end = explore_stateful(x);
  rt_folds(NULL);
  t->complete &= end == EXPLORE_ALL && !x->cut;
  t->states = x->states;
  t->executions = x->executions;
  t->cut = x->cut;
  t->circles = x->circles;
  t->interleavings = x->interleavings;
  t->bad = x->bad_interleavings;
  if (!t->complete)
    steps_free(&t->graph);
  map128_free(&b.known);
  vec_free(&b.steps);
  vec_free(&b.folds.at);
  vec_free(&b.run);
  return end;
}

void step_graph_free(struct step_graph *g) {
  steps_free(&g->graph);
  free(g->path_at);
  vec_free(&g->paths);
}

void step_graph_path(const struct step_graph *g, const uint32_t *edges,
                     uint32_t n, path *out) {
  path reduced = {0};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = g->path_at[edges[i]]; k < g->path_at[edges[i] + 1]; k++)
      vec_push(&reduced, g->paths.at[k]);
  bool was = rt_reduce(g->reduced);
  rt_guards(g->guards && g->reduced);
  path_expand(reduced.at, reduced.len, out);
  path_put_marks(out);
  rt_guards(false);
  rt_reduce(was);
  vec_free(&reduced);
}
