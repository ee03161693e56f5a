/*
 * With guards (rt_guards) the graph has fewer states, and those that it has
 * lead to what they lead to without:
 *
 * Bad executions: one in which sections are interrupted has the same results as
 * one in which each is made where it begins; that one's real-time order is at
 * least as strict, so it is bad too.
 *
 * Good executions: let one have a linearization.  A section can be made at any
 * moment between its lock and its unlock.  Of a call with several, the first is
 * made at its lock, the last at its unlock: the call's interval stays.  A call
 * with only one is a moment then: its linearization point, which lies within.
 * So the order of real time still allows the linearization.
 */
#include "search/step_graph.h"

#include "base/map128.h"
#include "search/graph.h"

#include <assert.h>

typedef VEC(struct step) step_run;

struct step_graph_builder {
  const struct step_graph_kind *order;
  struct step_graph *whole;
  struct step now;       /* that is being made */
  uint32_t now_call;     /* … and the call that it is made in */
  struct rt_folds folds; /* what else is made in that step */
  step_run run;          /* all of it */
  struct map128 known;   /* runs, to the number of their first step + 1 */
  VEC(uint32_t) steps;   /* by edge of the log */
};

/* ---- while the search goes on ---- */

static uint32_t may(void *ctx, uint32_t enabled) {
  const struct step_graph_builder *a = ctx;
  uint32_t holders = 0;
  for (uint32_t left = a->order->sections ? enabled : 0; left;
       left &= left - 1) {
    struct rt_stand at;
    rt_stand(__builtin_ctz(left), &at);
    holders |= at.held ? left & -left : 0;
  }
  return holders ? holders : enabled;
}

static void stepping(void *ctx, uint8_t thread) {
  struct step_graph_builder *a = ctx;
  struct rt_access access;
  struct rt_stand at;
  rt_pending(thread, &access);
  rt_stand(thread, &at);
  bool calls = at.call != EVENT_NO_CALL && !at.begun;
  a->now = (struct step){.pc = at.pc,
                         .addr = access.addr,
                         .size = access.size,
                         .call = at.call,
                         .thread = thread,
                         .kind = access.kind,
                         .flags = (uint8_t)((calls ? STEP_CALLS : 0) |
                                            (at.held ? STEP_INSIDE : 0))};
  a->now_call = at.call;
  vec_clear(&a->folds.at);
}

static void add_folds(struct step_graph_builder *a) {
  for (uint32_t i = 0; i < a->folds.at.len; i++) {
    const struct rt_fold *f = &a->folds.at.at[i];
    if (f->thread == a->now.thread)
      vec_push(&a->run, ((struct step){.pc = f->pc,
                                       .addr = f->addr,
                                       .size = f->size,
                                       .call = a->now_call,
                                       .thread = f->thread,
                                       .kind = f->kind,
                                       .flags = STEP_INSIDE}));
  }
  a->run.at[0].more = a->run.len - 1;
}

/* A thread that has gone on to another call has returned from this one. */
static bool has_returned(const struct step_graph_builder *a, uint8_t thread,
                         bool ended) {
  struct rt_stand at;
  if (a->now_call == EVENT_NO_CALL)
    return false;
  if (ended || rt_call_done(a->now_call))
    return true;
  rt_stand(thread, &at);
  return at.call != a->now_call;
}

static void stepped(void *ctx, uint8_t thread, bool ended) {
  struct step_graph_builder *a = ctx;
  bool fresh;
  if (has_returned(a, thread, ended))
    a->now.flags |= STEP_RETURNS;
  vec_clear(&a->run);
  vec_push(&a->run, a->now);
  add_folds(a);
  struct hash128 key = hash128(a->run.at, a->run.len * sizeof *a->run.at, 0);
  uint32_t *number = map128_put(&a->known, key, &fresh);
  if (fresh) {
    *number = a->whole->graph.steps.len + 1;
    for (uint32_t i = 0; i < a->run.len; i++)
      vec_push(&a->whole->graph.steps, a->run.at[i]);
  }
  vec_push(&a->steps, *number - 1);
}

static void again(void *ctx) {
  struct step_graph_builder *a = ctx;
  map128_clear(&a->known);
  vec_clear(&a->steps);
  vec_clear(&a->whole->graph.steps);
}

/* ---- in the end ---- */

static void draw_edge(struct step_graph_builder *a, struct graph *g,
                      uint32_t e) {
  struct step_graph *t = a->whole;
  struct graph_step s = graph_step(g, e);
  t->graph.edges[e].to = s.to;
  t->graph.edges[e].thread = s.thread;
  t->graph.edges[e].step = a->steps.at[s.noted] & 0x3ffffff;
  t->path_at[e] = t->paths.len;
  graph_step_path(g, e, &t->paths);
}

static void draw(void *ctx, struct graph *g) {
  struct step_graph_builder *a = ctx;
  struct step_graph *t = a->whole;
  uint32_t n = graph_states(g), edges = graph_edges(g);
  assert(edges == a->steps.len);
  t->graph.nstates = n;
  t->graph.root = graph_root(g);
  t->graph.sections = a->order->sections;
  t->graph.first = xmalloc((n + 1u) * sizeof *t->graph.first);
  t->graph.edges = xmalloc((edges + 1u) * sizeof *t->graph.edges);
  t->path_at = xmalloc((edges + 1u) * sizeof *t->path_at);
  for (uint32_t s = 0; s < n; s++)
    t->graph.first[s] = graph_first(g, s);
  t->graph.first[n] = edges;
  for (uint32_t e = 0; e < edges; e++)
    draw_edge(a, g, e);
  t->path_at[edges] = t->paths.len;
  t->complete = true;
}

enum explore_end step_graph_build(struct step_graph *t, struct explore *x,
                                  const struct step_graph_kind *order) {
  *t = (struct step_graph){0};
  struct step_graph_builder a = {.order = order, .whole = t};
  struct explore_watch watch = {&a, may, stepping, stepped, again, draw};
  x->watch = &watch;
  x->graph = true;
  x->all = true;
  x->no_reduction |= order->steps == STEPS_ALL;
  if (order->steps == STEPS_SHARED)
    rt_reduce_less();
  t->reduced = !x->no_reduction;
  t->guards = x->guards = order->guards;
  if (order->guards)
    rt_folds(&a.folds);
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
  map128_free(&a.known);
  vec_free(&a.steps);
  vec_free(&a.folds.at);
  vec_free(&a.run);
  return end;
}

void step_graph_free(struct step_graph *a) {
  steps_free(&a->graph);
  free(a->path_at);
  vec_free(&a->paths);
}

void step_graph_path(const struct step_graph *a, const uint32_t *edges,
                     uint32_t n, path *out) {
  path short_one = {0};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = a->path_at[edges[i]]; k < a->path_at[edges[i] + 1]; k++)
      vec_push(&short_one, a->paths.at[k]);
  bool was = rt_reduce(a->reduced);
  rt_guards(a->guards && a->reduced);
  path_expand(short_one.at, short_one.len, out);
  path_put_marks(out);
  rt_guards(false);
  rt_reduce(was);
  vec_free(&short_one);
}
