#include "search/atlas.h"

#include "base/map128.h"
#include "search/graph.h"

#include <assert.h>

struct artist {
  const struct atlas_order *order;
  struct atlas *atlas;
  struct step now;     /* that is being made */
  uint32_t now_call;   /* … and the call that it is made in */
  struct map128 known; /* steps, to their number + 1 */
  VEC(uint32_t) steps; /* by edge of the log */
};

/* ---- while the search goes on ---- */

static uint32_t may(void *ctx, uint32_t enabled) {
  const struct artist *a = ctx;
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
  struct artist *a = ctx;
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
}

/* A thread that has gone on to another call has returned from this one. */
static bool has_returned(const struct artist *a, uint8_t thread, bool ended) {
  struct rt_stand at;
  if (a->now_call == EVENT_NO_CALL)
    return false;
  if (ended || rt_call_done(a->now_call))
    return true;
  rt_stand(thread, &at);
  return at.call != a->now_call;
}

static void stepped(void *ctx, uint8_t thread, bool ended) {
  struct artist *a = ctx;
  bool fresh;
  if (has_returned(a, thread, ended))
    a->now.flags |= STEP_RETURNS;
  struct hash128 key = hash128(&a->now, sizeof a->now, 0);
  uint32_t *number = map128_put(&a->known, key, &fresh);
  if (fresh) {
    vec_push(&a->atlas->graph.steps, a->now);
    *number = a->atlas->graph.steps.len;
  }
  vec_push(&a->steps, *number - 1);
}

static void again(void *ctx) {
  struct artist *a = ctx;
  map128_clear(&a->known);
  vec_clear(&a->steps);
  vec_clear(&a->atlas->graph.steps);
}

/* ---- in the end ---- */

static void draw_edge(struct artist *a, struct graph *g, uint32_t e) {
  struct atlas *t = a->atlas;
  struct graph_step s = graph_step(g, e);
  t->graph.edges[e].to = s.to;
  t->graph.edges[e].thread = s.thread;
  t->graph.edges[e].step = a->steps.at[s.noted] & 0x3ffffff;
  t->path_at[e] = t->paths.len;
  graph_step_path(g, e, &t->paths);
}

static void draw(void *ctx, struct graph *g) {
  struct artist *a = ctx;
  struct atlas *t = a->atlas;
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

enum explore_end atlas_draw(struct atlas *t, struct explore *x,
                            const struct atlas_order *order) {
  *t = (struct atlas){0};
  struct artist a = {.order = order, .atlas = t};
  struct explore_watch watch = {&a, may, stepping, stepped, again, draw};
  x->watch = &watch;
  x->graph = true;
  x->all = true;
  x->no_reduction |= order->steps == ATLAS_ALL;
  if (order->steps == ATLAS_SHARED)
    rt_reduce_less();
  t->reduced = !x->no_reduction;
  enum explore_end end = explore_stateful(x);
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
  return end;
}

void atlas_free(struct atlas *a) {
  steps_free(&a->graph);
  free(a->path_at);
  vec_free(&a->paths);
}

void atlas_path(const struct atlas *a, const uint32_t *edges, uint32_t n,
                path *out) {
  path short_one = {0};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = a->path_at[edges[i]]; k < a->path_at[edges[i] + 1]; k++)
      vec_push(&short_one, a->paths.at[k]);
  bool was = rt_reduce(a->reduced);
  path_expand(short_one.at, short_one.len, out);
  rt_reduce(was);
  vec_free(&short_one);
}
