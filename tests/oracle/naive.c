#include "oracle/naive.h"

#include "base/arena.h"
#include <assert.h>
#include <string.h>

/* Subsumption, by its definition. */

static bool inside(struct segment inner, struct segment outer) {
  return outer.first <= inner.first && inner.last <= outer.last;
}

/* Segments of different operations interleave in the trace: same operation,
 * then containment. */
static bool subsumes(const struct conflicts *c, const struct segment *outer,
                     uint32_t n, const struct segment *inner, uint32_t m) {
  for (uint32_t i = 0; i < m; i++) {
    bool covered = false;
    for (uint32_t j = 0; j < n && !covered; j++)
      covered = c->nodes[inner[i].first].op == c->nodes[outer[j].first].op &&
                inside(inner[i], outer[j]);
    if (!covered)
      return false;
  }
  return true;
}

/* Adds a set of segments unless it subsumes one that is there; drops what
 * subsumes it. */
static void add_minimal(const struct conflicts *c, struct eliminators *e,
                        const struct segment *s, uint32_t n) {
  for (uint32_t i = 0; i < e->ends.len; i++)
    if (subsumes(c, s, n, eliminator_segments(e, i), eliminator_size(e, i)))
      return;
  struct eliminators kept = {0};
  for (uint32_t i = 0; i < e->ends.len; i++) {
    const struct segment *old = eliminator_segments(e, i);
    if (!subsumes(c, old, eliminator_size(e, i), s, n))
      eliminators_add(&kept, old, eliminator_size(e, i));
  }
  eliminators_add(&kept, s, n);
  eliminators_free(e);
  *e = kept;
}

static bool follows(const struct conflicts *c, uint32_t a, uint32_t b) {
  return node_conflicts(c, a, b) ||
         (c->nodes[a].thread == c->nodes[b].thread && a < b);
}

/* Reachability. */

struct seeker {
  const struct conflicts *c;
  uint32_t goal, home; /* the thread that must be left */
  bool *seen[2];       /* by whether it has been left */
};

static bool seek(struct seeker *s, uint32_t at, bool left) {
  left |= s->c->nodes[at].thread != s->home;
  if (s->seen[left][at])
    return false;
  s->seen[left][at] = true;
  if (at == s->goal && left)
    return true;
  for (uint32_t next = at + 1; next < s->c->nnodes; next++)
    if (follows(s->c, at, next) && seek(s, next, left))
      return true;
  return false;
}

bool naive_reaches(const struct conflicts *c, uint32_t a, uint32_t b) {
  struct seeker s = {
      c, b, c->nodes[a].thread, {xcalloc(c->nnodes, 1), xcalloc(c->nnodes, 1)}};
  bool found = seek(&s, a, false);
  free(s.seen[0]);
  free(s.seen[1]);
  return found;
}

/*
 * Decompositions.  Between two neighbouring nodes of an operation there is a
 * cut or not; `unit` is the number of each node's interval.
 */

struct decomposition {
  const struct conflicts *c;
  uint32_t *unit;
  uint32_t nunits;
};

static uint32_t gaps(const struct conflicts *c) { return c->nnodes - c->nops; }

static bool first_of_op(const struct conflicts *c, uint32_t node) {
  return c->ops[c->nodes[node].op].first == node;
}

/* Bit g of `joined` says that gap g is not cut. */
static void decompose(struct decomposition *d, uint64_t joined) {
  const struct conflicts *c = d->c;
  uint32_t gap = 0;
  d->nunits = 0;
  for (uint32_t r = 0; r < c->nnodes; r++) {
    uint32_t node = c->by_thread[r];
    bool cut = first_of_op(c, node) || !(joined >> gap & 1);
    gap += !first_of_op(c, node);
    d->nunits += cut;
    d->unit[node] = d->nunits - 1;
  }
}

static bool unit_edge(const struct decomposition *d, uint32_t i, uint32_t j) {
  for (uint32_t a = 0; a < d->c->nnodes; a++)
    for (uint32_t b = 0; d->unit[a] == i && b < d->c->nnodes; b++)
      if (d->unit[b] == j && follows(d->c, a, b))
        return true;
  return false;
}

/* 1: on the path, 2: done. */
static bool finds_cycle(const struct decomposition *d, uint32_t u,
                        uint8_t *state) {
  state[u] = 1;
  for (uint32_t v = 0; v < d->nunits; v++) {
    if (v == u || state[v] == 2 || !unit_edge(d, u, v))
      continue;
    if (state[v] == 1 || finds_cycle(d, v, state))
      return true;
  }
  state[u] = 2;
  return false;
}

static bool is_cyclic(const struct decomposition *d) {
  uint8_t *state = xcalloc((size_t)d->nunits + 1, 1);
  bool found = false;
  for (uint32_t u = 0; u < d->nunits && !found; u++)
    found = !state[u] && finds_cycle(d, u, state);
  free(state);
  return found;
}

bool naive_cyclic(const struct conflicts *c, const uint32_t *unit) {
  struct decomposition d = {c, xcalloc((size_t)c->nnodes + 1, sizeof *d.unit),
                            0};
  for (uint32_t i = 0; i < c->nnodes; i++) {
    d.unit[i] = unit[i];
    if (d.nunits <= unit[i])
      d.nunits = unit[i] + 1;
  }
  bool found = is_cyclic(&d);
  free(d.unit);
  return found;
}

static uint32_t long_units(const struct decomposition *d, struct segment *out) {
  uint32_t n = 0;
  for (uint32_t u = 0; u < d->nunits; u++) {
    struct segment s = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < d->c->nnodes; i++)
      if (d->unit[i] == u) {
        s.first = s.first == UINT32_MAX ? i : s.first;
        s.last = i;
      }
    if (s.first < s.last)
      out[n++] = s;
  }
  return n;
}

void naive_definition(const struct conflicts *c, struct eliminators *out) {
  *out = (struct eliminators){0};
  struct decomposition d = {c, xcalloc((size_t)c->nnodes + 1, sizeof *d.unit),
                            0};
  struct segment *s = xcalloc((size_t)c->nnodes + 1, sizeof *s);
  assert(gaps(c) < 24);
  for (uint64_t joined = 0; joined >> gaps(c) == 0; joined++) {
    decompose(&d, joined);
    if (is_cyclic(&d))
      add_minimal(c, out, s, long_units(&d, s));
  }
  free(d.unit);
  free(s);
}

/* Section 5.2. */

struct interval_walk {
  struct decomposition d;
  uint32_t *path; /* units of the cycle so far */
  uint32_t depth;
  bool *on_path;
  struct conflict_edge *chosen; /* one edge of the trace for each of it */
  struct segment *segments;
  struct eliminators *out;
};

/* critSegs: where the edge that leaves the unit comes before the one that
 * enters it. */
static void add_critical(struct interval_walk *w) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < w->depth; k++) {
    uint32_t leaves = w->chosen[k].from;
    uint32_t enters = w->chosen[k ? k - 1 : w->depth - 1].to;
    if (leaves < enters)
      w->segments[n++] = (struct segment){leaves, enters};
  }
  assert(n); /* Lemma 1 */
  add_minimal(w->d.c, w->out, w->segments, n);
}

/* All ways to choose an edge of the trace for each edge of the cycle. */
static void choose_edges(struct interval_walk *w, uint32_t k) {
  const struct conflicts *c = w->d.c;
  if (k == w->depth) {
    add_critical(w);
    return;
  }
  uint32_t i = w->path[k], j = w->path[(k + 1) % w->depth];
  for (uint32_t a = 0; a < c->nnodes; a++)
    for (uint32_t b = 0; w->d.unit[a] == i && b < c->nnodes; b++)
      if (w->d.unit[b] == j && follows(c, a, b)) {
        w->chosen[k] = (struct conflict_edge){a, b};
        choose_edges(w, k + 1);
      }
}

/* All simple cycles whose least unit is the first of the path. */
static void walk_units(struct interval_walk *w) {
  uint32_t at = w->path[w->depth - 1];
  for (uint32_t v = w->path[0]; v < w->d.nunits; v++) {
    if (v == at || !unit_edge(&w->d, at, v))
      continue;
    if (v == w->path[0]) {
      choose_edges(w, 0);
    } else if (!w->on_path[v]) {
      w->on_path[v] = true;
      w->path[w->depth++] = v;
      walk_units(w);
      w->depth--;
      w->on_path[v] = false;
    }
  }
}

void naive_decompositions(const struct conflicts *c, struct eliminators *out) {
  size_t n = (size_t)c->nnodes + 1;
  *out = (struct eliminators){0};
  struct interval_walk w = {.d = {c, xcalloc(n, sizeof(uint32_t)), 0},
                            .path = xcalloc(n, sizeof *w.path),
                            .on_path = xcalloc(n, sizeof *w.on_path),
                            .chosen = xcalloc(n, sizeof *w.chosen),
                            .segments = xcalloc(n, sizeof *w.segments),
                            .out = out};
  assert(gaps(c) < 24);
  for (uint64_t joined = 0; joined >> gaps(c) == 0; joined++) {
    decompose(&w.d, joined);
    for (uint32_t u = 0; u < w.d.nunits; u++) {
      w.path[0] = u;
      w.depth = 1;
      walk_units(&w);
    }
  }
  free(w.d.unit);
  free(w.path);
  free(w.on_path);
  free(w.chosen);
  free(w.segments);
}

/* Section 6.1. */

struct sequences {
  const struct conflicts *c;
  struct conflict_edges edges;
  struct conflict_edge *path;
  uint32_t depth;
  struct segment *segments;
  struct eliminators *out;
  uint64_t rotations[65]; /* cycles found, by length; each once a rotation */
};

static bool joins(const struct conflicts *c, uint32_t in, uint32_t out) {
  const struct node *a = &c->nodes[in], *b = &c->nodes[out];
  return a->thread == b->thread && (in <= out || a->op == b->op);
}

static bool is_cycle(const struct sequences *q) {
  const struct conflicts *c = q->c;
  for (uint32_t i = 0; i < q->depth; i++) {
    if (!joins(c, q->path[i].to, q->path[(i + 1) % q->depth].from))
      return false;
    for (uint32_t j = 0; j < i; j++)
      if (c->nodes[q->path[i].to].thread == c->nodes[q->path[j].to].thread)
        return false;
  }
  return true;
}

static void try_sequences(struct sequences *q) {
  struct cycle cycle = {q->path, q->depth};
  if (q->depth && is_cycle(q)) {
    q->rotations[q->depth]++;
    uint32_t n = cycle_segments(q->c, &cycle, q->segments);
    add_minimal(q->c, q->out, q->segments, n);
  }
  if (q->depth == q->c->nthreads)
    return;
  for (uint32_t i = 0; i < q->edges.len; i++) {
    q->path[q->depth++] = q->edges.at[i];
    try_sequences(q);
    q->depth--;
  }
}

void naive_sequences(const struct conflicts *c, struct eliminators *out,
                     uint64_t *cycles) {
  *out = (struct eliminators){0};
  size_t n = (size_t)c->nthreads + 1;
  struct sequences q = {.c = c, .out = out};
  assert(c->nthreads <= 64);
  q.path = xcalloc(n, sizeof *q.path);
  q.segments = xcalloc(n, sizeof *q.segments);
  conflict_edges(c, &q.edges);
  try_sequences(&q);
  if (cycles) {
    *cycles = 0;
    for (uint32_t i = 1; i <= c->nthreads; i++)
      *cycles += q.rotations[i] / i;
  }
  free(q.path);
  free(q.segments);
  free(q.edges.at);
}

struct gathering {
  const struct conflicts *c;
  struct eliminators *out;
  struct segment *segments;
};

static bool gather(void *ctx, const struct cycle *cycle) {
  struct gathering *g = ctx;
  uint32_t n = cycle_segments(g->c, cycle, g->segments);
  add_minimal(g->c, g->out, g->segments, n);
  return true;
}

void naive_cycles(const struct conflicts *c, struct eliminators *out) {
  *out = (struct eliminators){0};
  struct gathering g = {c, out,
                        xcalloc((size_t)c->nthreads + 1, sizeof *g.segments)};
  cycles_each(c, gather, &g);
  free(g.segments);
}

/* Section 4.2. */

static void choose_repairs(const struct causes *traces, uint32_t n,
                           struct cause so_far, struct arena *a,
                           struct causes *product) {
  if (!n) {
    vec_push(product, so_far);
    return;
  }
  for (uint32_t i = 0; i < traces->len; i++)
    choose_repairs(traces + 1, n - 1, cause_join(a, so_far, traces->at[i]), a,
                   product);
}

void naive_product(const struct causes *traces, uint32_t n, struct arena *a,
                   struct causes *out) {
  struct causes product = {0};
  choose_repairs(traces, n, (struct cause){0}, a, &product);
  for (uint32_t i = 0; i < product.len; i++) {
    bool smallest = true;
    for (uint32_t j = 0; j < product.len && smallest; j++) {
      bool smaller = cause_covers(product.at[i], product.at[j]);
      bool equal = smaller && cause_covers(product.at[j], product.at[i]);
      smallest = !smaller || (equal && j >= i); /* of equal ones the first */
    }
    if (smallest)
      vec_push(out, product.at[i]);
  }
  causes_free(&product);
}
