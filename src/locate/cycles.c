/* Walks along conflict edges that close. */
#include "locate/cycles.h"

#include "base/slow.h"

#include <assert.h>

struct cycle_walk {
  const struct conflicts *c;
  struct conflict_edges edges; /* by source: thread, then position */
  uint32_t *out_at;            /* by rank of the source (rank_of) */
  struct conflict_edge *path;
  uint32_t depth;
  bool *visited; /* by thread */
  cycle_fn *each;
  void *ctx;
  uint64_t found;
  bool stop;
};

/* The place of a node in by_thread. */
static uint32_t rank_of(const struct conflicts *c, uint32_t node) {
  return c->thread_at[c->nodes[node].thread] + c->nodes[node].pos - 1;
}

/* A cycle can go on from `in` to `out` inside their thread. */
static bool passes(const struct conflicts *c, uint32_t in, uint32_t out) {
  const struct node *a = &c->nodes[in], *b = &c->nodes[out];
  return a->thread == b->thread && (a->pos <= b->pos || a->op == b->op);
}

/*
 * Pruning.  An operation that no edge enters, or that none leaves, is on no
 * cycle; without it, neither is the next one of that kind.  Edges of program
 * order count only between neighbours, which is enough to follow a path.
 */
struct peel {
  uint32_t *degree[2]; /* in, out, counted in conflict edges and po steps */
  bool *gone;
};

static uint32_t neighbour(const struct conflicts *c, uint32_t op, bool after) {
  uint32_t node = after ? c->ops[op].last : c->ops[op].first;
  const struct node *n = &c->nodes[node];
  uint32_t pos = after ? n->pos + 1 : n->pos - 1;
  if (!pos || pos > thread_length(c, n->thread))
    return UINT32_MAX;
  return c->nodes[node_at(c, n->thread, pos)].op;
}

static void count_degrees(const struct cycle_walk *w, struct peel *p) {
  const struct conflicts *c = w->c;
  for (uint32_t i = 0; i < w->edges.len; i++) {
    p->degree[1][c->nodes[w->edges.at[i].from].op]++;
    p->degree[0][c->nodes[w->edges.at[i].to].op]++;
  }
  for (uint32_t o = 0; o < c->nops; o++) {
    p->degree[0][o] += neighbour(c, o, false) != UINT32_MAX;
    p->degree[1][o] += neighbour(c, o, true) != UINT32_MAX;
  }
}

static void drop(const struct cycle_walk *w, struct peel *p, uint32_t op) {
  const struct conflicts *c = w->c;
  p->gone[op] = true;
  for (uint32_t i = 0; i < w->edges.len; i++) {
    uint32_t from = c->nodes[w->edges.at[i].from].op;
    uint32_t to = c->nodes[w->edges.at[i].to].op;
    if (from == op)
      p->degree[0][to]--;
    else if (to == op)
      p->degree[1][from]--;
  }
  uint32_t before = neighbour(c, op, false), after = neighbour(c, op, true);
  if (before != UINT32_MAX)
    p->degree[1][before]--;
  if (after != UINT32_MAX)
    p->degree[0][after]--;
}

static void peel(const struct cycle_walk *w, struct peel *p) {
  bool again = true;
  count_degrees(w, p);
  while (again) {
    again = false;
    for (uint32_t o = 0; o < w->c->nops; o++)
      if (!p->gone[o] && (!p->degree[0][o] || !p->degree[1][o])) {
        drop(w, p, o);
        again = true;
      }
  }
}

static void remove_dead_edges(struct cycle_walk *w) {
  const struct conflicts *c = w->c;
  size_t n = (size_t)c->nops + 1;
  struct peel p = {{xcalloc(n, sizeof(uint32_t)), xcalloc(n, sizeof(uint32_t))},
                   xcalloc(n, sizeof(bool))};
  peel(w, &p);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->edges.len; i++) {
    struct conflict_edge e = w->edges.at[i];
    if (!p.gone[c->nodes[e.from].op] && !p.gone[c->nodes[e.to].op])
      w->edges.at[kept++] = e;
  }
  w->edges.len = kept;
  free(p.degree[0]);
  free(p.degree[1]);
  free(p.gone);
}

static void sort_by_source(struct cycle_walk *w) {
  const struct conflicts *c = w->c;
  struct conflict_edge *sorted =
      xcalloc((size_t)w->edges.len + 1, sizeof *sorted);
  w->out_at = xcalloc((size_t)c->nnodes + 2, sizeof *w->out_at);
  for (uint32_t i = 0; i < w->edges.len; i++)
    w->out_at[rank_of(c, w->edges.at[i].from) + 2]++;
  for (uint32_t i = 0; i < c->nnodes; i++)
    w->out_at[i + 2] += w->out_at[i + 1];
  for (uint32_t i = 0; i < w->edges.len; i++)
    sorted[w->out_at[rank_of(c, w->edges.at[i].from) + 1]++] = w->edges.at[i];
  free(w->edges.at);
  w->edges.at = sorted;
}

/* Y1, Y2 */
static bool cycle_is_sound(const struct conflicts *c, const struct cycle *k) {
  uint32_t least = c->nodes[k->edges[0].from].thread;
  for (uint32_t i = 0; i < k->nedges; i++) {
    uint32_t next = k->edges[i + 1 < k->nedges ? i + 1 : 0].from;
    uint32_t own = c->nodes[k->edges[i].from].thread;
    if (c->nodes[k->edges[i].to].thread != c->nodes[next].thread ||
        (i && own <= least))
      return false;
    for (uint32_t j = 0; j < i; j++)
      if (c->nodes[k->edges[j].from].thread == own)
        return false;
  }
  return true;
}

static void extend(struct cycle_walk *w);

static void follow(struct cycle_walk *w, struct conflict_edge e) {
  const struct conflicts *c = w->c;
  uint32_t t = c->nodes[e.to].thread, first = w->path[0].from;
  w->path[w->depth++] = e;
  if (w->depth > 1 && t == c->nodes[first].thread) {
    if (passes(c, e.to, first)) {
      w->found++;
      struct cycle found = {w->path, w->depth};
      check_slow(cycle_is_sound(c, &found)); /* Y1, Y2 */
      w->stop = !w->each(w->ctx, &found);
    }
  } else if (!w->visited[t] && t > c->nodes[first].thread) {
    w->visited[t] = true;
    extend(w);
    w->visited[t] = false;
  }
  w->depth--;
}

/* All edges that leave the thread from where the path has entered it. */
static void extend(struct cycle_walk *w) {
  const struct conflicts *c = w->c;
  uint32_t in = w->path[w->depth - 1].to;
  uint32_t begin = rank_of(c, c->ops[c->nodes[in].op].first);
  uint32_t end = c->thread_at[c->nodes[in].thread + 1];
  for (uint32_t i = w->out_at[begin]; i < w->out_at[end] && !w->stop; i++)
    follow(w, w->edges.at[i]);
}

uint64_t cycles_each(const struct conflicts *c, cycle_fn *each, void *ctx) {
  struct cycle_walk w = {.c = c, .each = each, .ctx = ctx};
  conflict_edges(c, &w.edges);
  remove_dead_edges(&w);
  sort_by_source(&w);
  w.path = xcalloc((size_t)c->nthreads + 1, sizeof *w.path);
  w.visited = xcalloc((size_t)c->nthreads + 1, sizeof *w.visited);
  for (uint32_t i = 0; i < w.edges.len && !w.stop; i++) {
    w.path[0] = w.edges.at[i];
    follow(&w, w.edges.at[i]);
  }
  free(w.edges.at);
  free(w.out_at);
  free(w.path);
  free(w.visited);
  return w.found;
}

/* Where the cycle enters the thread that edge i leaves. */
static uint32_t entry(const struct cycle *cycle, uint32_t i) {
  return cycle->edges[i ? i - 1 : cycle->nedges - 1].to;
}

uint32_t cycle_segments(const struct conflicts *c, const struct cycle *cycle,
                        struct segment *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cycle->nedges; i++) {
    uint32_t leaves = cycle->edges[i].from, enters = entry(cycle, i);
    assert(passes(c, enters, leaves)); /* Y1 */
    if (leaves < enters)
      out[n++] = (struct segment){leaves, enters};
  }
  return n;
}

bool cycle_has_chord(const struct conflicts *c, const struct cycle *cycle) {
  for (uint32_t i = 0; i < cycle->nedges; i++)
    for (uint32_t j = 0; j < cycle->nedges; j++) {
      uint32_t from[2] = {cycle->edges[i].from, entry(cycle, i)};
      uint32_t to[2] = {cycle->edges[j].from, entry(cycle, j)};
      for (uint32_t k = 0; k < 4; k++) {
        uint32_t a = from[k & 1], b = to[k >> 1];
        bool own = a == cycle->edges[i].from && b == cycle->edges[i].to;
        if (!own && node_conflicts(c, a, b))
          return true;
      }
    }
  return false;
}
