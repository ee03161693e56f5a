#include "search/progress.h"

#include "base/scc.h"
#include "rt/rt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NO_EDGE = UINT32_MAX, ANYBODY = -1 };

struct progress_finder {
  const struct steps *g;
  const struct progress_question *q;
  int only;            /* the thread whose steps count, or ANYBODY */
  uint32_t *component; /* by state: a number */
  uint32_t ncomponents;
  uint32_t *by; /* by state: the edge that leads to it first, from the root … */
  uint32_t *from; /* … and where each edge begins */
  uint32_t *met;  /* states in the order of their distance from the root */
  uint32_t nmet;
};

static const struct step *step_of(const struct progress_finder *f,
                                  uint32_t edge) {
  return &f->g->steps.at[f->g->edges[edge].step];
}

static bool counts(const struct progress_finder *f, uint32_t edge) {
  return f->only == ANYBODY ||
         rt_owner((int)f->g->edges[edge].thread) == f->only;
}

/* A step of an operation that must not wait. */
static bool matters(const struct progress_finder *f, uint32_t edge) {
  const struct step *s = step_of(f, edge);
  return counts(f, edge) && s->call < f->q->ncalls &&
         !f->q->may_wait[s->call] && !rt_is_buffer(s->thread);
}

/* Breadth first, from the root by all steps. */
static void find_ways(struct progress_finder *f) {
  const struct steps *g = f->g;
  memset(f->by, 0xff, g->nstates * sizeof *f->by);
  f->met[f->nmet++] = g->root;
  for (uint32_t i = 0; i < f->nmet; i++)
    for (uint32_t s = f->met[i], e = g->first[s]; e < g->first[s + 1]; e++) {
      uint32_t to = g->edges[e].to;
      f->from[e] = s;
      if (to == g->root || f->by[to] != NO_EDGE)
        continue;
      f->by[to] = e;
      f->met[f->nmet++] = to;
    }
}

static void reverse(uint32_t *at, uint32_t n) {
  for (uint32_t i = 0; i < n / 2; i++) {
    uint32_t t = at[i];
    at[i] = at[n - 1 - i];
    at[n - 1 - i] = t;
  }
}

static void put_way(const struct progress_finder *f, uint32_t state,
                    struct progress_fault *out) {
  uint32_t begin = out->edges.len;
  for (uint32_t s = state; s != f->g->root; s = f->from[f->by[s]])
    vec_push(&out->edges, f->by[s]);
  reverse(out->edges.at + begin, out->edges.len - begin);
}

/* ---- circles ---- */

static bool next_state(void *ctx, uint32_t s, uint32_t *at, uint32_t *to) {
  const struct progress_finder *f = ctx;
  while (f->g->first[s] + *at < f->g->first[s + 1]) {
    uint32_t e = f->g->first[s] + (*at)++;
    if (!counts(f, e))
      continue;
    *to = f->g->edges[e].to;
    return true;
  }
  return false;
}

static void number(void *ctx, const uint32_t *states, uint32_t n) {
  struct progress_finder *f = ctx;
  for (uint32_t i = 0; i < n; i++)
    f->component[states[i]] = f->ncomponents;
  f->ncomponents++;
}

static void find_components(struct progress_finder *f) {
  struct scc scc = {.ctx = f, .next = next_state, .complete = number};
  f->ncomponents = 0;
  scc_init(&scc, f->g->nstates);
  for (uint32_t i = 0; i < f->nmet; i++)
    if (!scc_is_complete(&scc, f->met[i]))
      scc_from(&scc, f->met[i]);
  scc_free(&scc);
}

/* The shortest way back to where the edge begins, behind it. */
static void put_circle(struct progress_finder *f, uint32_t edge,
                       struct progress_fault *out) {
  const struct steps *g = f->g;
  uint32_t begin = out->edges.len, goal = f->from[edge];
  uint32_t *by = xmalloc(g->nstates * sizeof *by);
  VEC(uint32_t) queue = {0};
  memset(by, 0xff, g->nstates * sizeof *by);
  vec_push(&out->edges, edge);
  if (g->edges[edge].to != goal)
    vec_push(&queue, g->edges[edge].to);
  for (uint32_t i = 0; i < queue.len && by[goal] == NO_EDGE; i++)
    for (uint32_t s = queue.at[i], e = g->first[s]; e < g->first[s + 1]; e++) {
      uint32_t to = g->edges[e].to;
      if (!counts(f, e) || f->component[to] != f->component[goal] ||
          by[to] != NO_EDGE)
        continue;
      by[to] = e;
      vec_push(&queue, to);
    }
  if (queue.len)
    for (uint32_t s = goal; s != g->edges[edge].to; s = f->from[by[s]]) {
      assert(by[s] != NO_EDGE); /* both ends are in one component */
      vec_push(&out->edges, by[s]);
    }
  reverse(out->edges.at + begin + 1, out->edges.len - begin - 1);
  out->round = out->edges.len - begin;
  vec_free(&queue);
  free(by);
}

/* Takes the circle that is nearest to the root. */
static bool find_circle(struct progress_finder *f, struct progress_fault *out) {
  const struct steps *g = f->g;
  find_components(f);
  for (uint32_t i = 0; i < f->nmet; i++)
    for (uint32_t s = f->met[i], e = g->first[s]; e < g->first[s + 1]; e++)
      if (matters(f, e) && f->component[s] == f->component[g->edges[e].to]) {
        put_way(f, s, out);
        put_circle(f, e, out);
        return true;
      }
  return false;
}

static bool find_circle_alone(struct progress_finder *f,
                              struct progress_fault *out) {
  uint32_t threads = 0;
  for (uint32_t i = 0; i < f->g->steps.len; i++)
    threads |= 1u << rt_owner(f->g->steps.at[i].thread);
  for (; threads; threads &= threads - 1) {
    f->only = __builtin_ctz(threads);
    if (find_circle(f, out))
      return true;
  }
  f->only = ANYBODY;
  return false;
}

/* ---- steps of a call ---- */

/*
 * The most steps that a call has made on a way to each state: states in an
 * order in which those before come first.  There is no circle with its steps,
 * so the numbers of components, from the last one, are such an order.
 */
struct counter {
  struct progress_finder *f;
  uint32_t *order;     /* states */
  uint32_t *made, *by; /* by state */
};

static bool counts_for(const struct progress_finder *f, uint32_t edge,
                       uint32_t call) {
  return step_of(f, edge)->call == call &&
         !rt_is_buffer(step_of(f, edge)->thread);
}

/* Within a component no edge matters, so all of its states are reached with the
 * same number. */
static bool relax(struct counter *c, uint32_t s, uint32_t call) {
  const struct steps *g = c->f->g;
  bool more = false;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
    uint32_t to = g->edges[e].to;
    uint32_t n = c->made[s] + counts_for(c->f, e, call);
    if (n <= c->made[to])
      continue;
    c->made[to] = n;
    c->by[to] = e;
    more |= c->f->component[to] == c->f->component[s];
  }
  return more;
}

static void sort_states(struct counter *c) {
  struct progress_finder *f = c->f;
  uint32_t *first = xcalloc(f->ncomponents + 1u, sizeof *first);
  for (uint32_t i = 0; i < f->nmet; i++)
    first[f->ncomponents - 1 - f->component[f->met[i]] + 1]++;
  for (uint32_t i = 1; i <= f->ncomponents; i++)
    first[i] += first[i - 1];
  for (uint32_t i = 0; i < f->nmet; i++)
    c->order[first[f->ncomponents - 1 - f->component[f->met[i]]]++] = f->met[i];
  free(first);
}

static bool has_too_many(struct counter *c, uint32_t call,
                         struct progress_fault *out) {
  struct progress_finder *f = c->f;
  memset(c->made, 0, f->g->nstates * sizeof *c->made);
  for (uint32_t i = 0; i < f->nmet;) {
    uint32_t n = 1, own = f->component[c->order[i]];
    while (i + n < f->nmet && f->component[c->order[i + n]] == own)
      n++;
    for (bool more = true; more;) { /* once, but for circles of others */
      more = false;
      for (uint32_t k = 0; k < n; k++)
        more |= relax(c, c->order[i + k], call);
    }
    i += n;
  }
  uint32_t best = NO_EDGE;
  for (uint32_t i = 0; i < f->nmet && best == NO_EDGE; i++)
    if (c->made[f->met[i]] > f->q->steps)
      best = f->met[i];
  if (best == NO_EDGE)
    return false;
  uint32_t s = best;
  for (; c->made[s]; s = f->from[c->by[s]])
    vec_push(&out->edges, c->by[s]);
  reverse(out->edges.at, out->edges.len);
  struct progress_fault way = {0};
  put_way(f, s, &way);
  for (uint32_t i = 0; i < out->edges.len; i++)
    vec_push(&way.edges, out->edges.at[i]);
  vec_free(&out->edges);
  *out = way;
  return true;
}

static bool find_long_call(struct progress_finder *f,
                           struct progress_fault *out) {
  uint32_t n = f->g->nstates;
  struct counter c = {.f = f,
                      .order = xcalloc(n, sizeof *c.order),
                      .made = xcalloc(n, sizeof *c.made),
                      .by = xcalloc(n, sizeof *c.by)};
  bool found = false;
  sort_states(&c);
  for (uint32_t call = 0; call < f->q->ncalls && !found; call++)
    found = !f->q->may_wait[call] && has_too_many(&c, call, out);
  free(c.order);
  free(c.made);
  free(c.by);
  return found;
}

/* ---- */

bool progress_fails(const struct steps *g, const struct progress_question *q,
                    struct progress_fault *out) {
  *out = (struct progress_fault){0};
  struct progress_finder f = {
      .g = g,
      .q = q,
      .only = ANYBODY,
      .component = xcalloc(g->nstates, sizeof *f.component),
      .by = xcalloc(g->nstates, sizeof *f.by),
      .from = xcalloc(g->first[g->nstates] + 1u, sizeof *f.from),
      .met = xcalloc(g->nstates, sizeof *f.met)};
  find_ways(&f);
  bool fails = f.by[STEPS_BAD] != NO_EDGE;
  if (fails)
    put_way(&f, STEPS_BAD, out);
  else if (q->condition == FL_PROGRESS_obstruction_free)
    fails = find_circle_alone(&f, out);
  else
    fails = find_circle(&f, out);
  if (!fails && q->condition == FL_PROGRESS_wait_free)
    fails = find_long_call(&f, out);
  free(f.component);
  free(f.by);
  free(f.from);
  free(f.met);
  return fails;
}

void progress_fault_free(struct progress_fault *f) { vec_free(&f->edges); }
