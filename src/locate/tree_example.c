/*
 * The execution with a given pattern and the fewest switches: Dijkstra's search
 * over the graph, where a place is a state, how much of the pattern is behind
 * it, and who made the last step.
 */
#include "locate/tree_int.h"

#include "base/map128.h"

struct reached {
  uint32_t state, done; /* letters of the pattern */
  uint32_t from;        /* index into `all`, by this edge; 0: the beginning */
  uint32_t edge;
  uint64_t cost; /* switches and, below them, steps */
  uint8_t last;
};
#define SWITCH (1ull << 32)
enum { NOBODY = 63 };

struct example_candidate {
  uint64_t cost;
  uint32_t at; /* index into `all` */
};

struct example_search {
  const struct tree *t;
  const struct tree_pattern *p;
  uint64_t *effort;
  VEC(struct reached) all; /* all[0] is nothing */
  struct map128 known;     /* places that are settled */
  VEC(struct example_candidate) heap;
};

static bool earlier(const struct example_search *x, uint32_t a, uint32_t b) {
  const struct example_candidate *p = &x->heap.at[a], *q = &x->heap.at[b];
  return p->cost != q->cost ? p->cost < q->cost : p->at < q->at;
}

static void swap(struct example_search *x, uint32_t a, uint32_t b) {
  struct example_candidate c = x->heap.at[a];
  x->heap.at[a] = x->heap.at[b];
  x->heap.at[b] = c;
}

static void put(struct example_search *x, struct reached r) {
  vec_push(&x->heap, ((struct example_candidate){r.cost, x->all.len}));
  vec_push(&x->all, r);
  for (uint32_t i = x->heap.len - 1; i && earlier(x, i, (i - 1) / 2);
       i = (i - 1) / 2)
    swap(x, i, (i - 1) / 2);
}

static uint32_t take(struct example_search *x) {
  uint32_t top = x->heap.at[0].at, n;
  x->heap.at[0] = vec_pop(&x->heap);
  n = x->heap.len;
  for (uint32_t i = 0, least; i < n; i = least) {
    least = i;
    if (2 * i + 1 < n && earlier(x, 2 * i + 1, least))
      least = 2 * i + 1;
    if (2 * i + 2 < n && earlier(x, 2 * i + 2, least))
      least = 2 * i + 2;
    if (least == i)
      break;
    swap(x, i, least);
  }
  return top;
}

/* The first time that this place is come to, which is the cheapest? */
static bool settle(struct example_search *x, const struct reached *r) {
  uint64_t place[2] = {(uint64_t)r->state << 32 | r->done, r->last};
  bool fresh;
  map128_put(&x->known, hash128(place, sizeof place, 0), &fresh);
  return fresh;
}

/* How much of the pattern is behind a step; UINT32_MAX: it does not fit. */
static uint32_t read_on(const struct example_search *x, const struct reached *r,
                        const struct step_edge *e) {
  const struct tree *t = x->t;
  const struct tree_pattern *p = x->p;
  enum race_kind k = tree_race(t, r->state, (uint8_t)e->thread);
  if (r->done == p->len) /* all is lost: nothing is read any more */
    return r->done;
  if (tree_decides(t, r->state, e))
    return r->done + 1 == p->len && p->word[r->done] == k ? p->len : UINT32_MAX;
  if (t->leads[e->to] != LEADS_BOTH)
    return UINT32_MAX;
  if (k == RACE_NONE)
    return r->done;
  return r->done + 1 < p->len && p->word[r->done] == k ? r->done + 1
                                                       : UINT32_MAX;
}

static void follow(struct example_search *x, uint32_t at) {
  const struct steps *g = x->t->g;
  struct reached r = x->all.at[at];
  for (uint32_t e = g->first[r.state]; e < g->first[r.state + 1]; e++) {
    const struct step_edge *edge = &g->edges[e];
    if (!tree_follows(x->t, r.state, e) || edge->to == STEPS_CUT)
      continue;
    uint32_t done = read_on(x, &r, edge);
    if (done == UINT32_MAX)
      continue;
    bool switches = r.last != NOBODY && r.last != edge->thread;
    put(x, (struct reached){edge->to, done, at, e,
                            r.cost + 1 + (switches ? SWITCH : 0),
                            (uint8_t)edge->thread});
  }
}

static void trace_back(const struct example_search *x, uint32_t at,
                       tree_path *out) {
  vec_clear(out);
  for (; x->all.at[at].from; at = x->all.at[at].from)
    vec_push(out, x->all.at[at].edge);
  for (uint32_t i = 0; i < out->len / 2; i++) {
    uint32_t e = out->at[i];
    out->at[i] = out->at[out->len - 1 - i];
    out->at[out->len - 1 - i] = e;
  }
}

bool tree_example(const struct tree *t, const struct tree_pattern *p,
                  uint64_t *effort, tree_path *out) {
  struct example_search x = {.t = t, .p = p, .effort = effort};
  struct reached nothing = {0};
  bool found = false;
  vec_push(&x.all, nothing);
  put(&x, (struct reached){.state = t->g->root, .last = NOBODY});
  while (x.heap.len && !found && *effort) {
    uint32_t at = take(&x);
    if (!settle(&x, &x.all.at[at]))
      continue;
    --*effort;
    found = x.all.at[at].state == STEPS_BAD && x.all.at[at].done == p->len;
    if (found)
      trace_back(&x, at, out);
    else
      follow(&x, at);
  }
  vec_free(&x.all);
  vec_free(&x.heap);
  map128_free(&x.known);
  return found;
}
