/* The graph: adding edges, and a cycle of fewest edges. */
#include "atomicity/graph.h"

#include <assert.h>

void conflict_graph_init(struct conflict_graph *g, const uint32_t *node,
                         uint32_t nnodes) {
  *g = (struct conflict_graph){.nnodes = nnodes, .node = node};
}

void conflict_graph_add(struct conflict_graph *g, uint32_t from, uint32_t to) {
  if (g->node[from] == g->node[to])
    return;
  if (g->edges.len) {
    struct txn_edge *last = &vec_last(&g->edges);
    if (last->from == from && g->node[last->to] == g->node[to])
      return;
  }
  vec_push(&g->edges, ((struct txn_edge){from, to}));
}

void conflict_graph_free(struct conflict_graph *g) { vec_free(&g->edges); }

void conflict_cycle_free(struct conflict_cycle *c) { vec_free(&c->edges); }

/* Edges by the node they leave: out[first[v] .. first[v + 1]). */
struct adjacency {
  uint32_t *first, *out;
};

static struct adjacency by_source(const struct conflict_graph *g) {
  struct adjacency a = {xcalloc((size_t)g->nnodes + 2, sizeof *a.first),
                        xcalloc((size_t)g->edges.len + 1, sizeof *a.out)};
  for (uint32_t i = 0; i < g->edges.len; i++)
    a.first[g->node[g->edges.at[i].from] + 2]++;
  for (uint32_t v = 0; v < g->nnodes; v++)
    a.first[v + 2] += a.first[v + 1];
  for (uint32_t i = 0; i < g->edges.len; i++)
    a.out[a.first[g->node[g->edges.at[i].from] + 1]++] = i;
  return a;
}

/* A node that lies on a cycle, or nnodes: what is left when nodes without
 * predecessors are taken away again and again holds one, from which going
 * backwards must come round. */
static uint32_t on_cycle(const struct conflict_graph *g,
                         const struct adjacency *a) {
  uint32_t *in = xcalloc((size_t)g->nnodes + 1, sizeof *in);
  uint32_t *pred = xcalloc((size_t)g->nnodes + 1, sizeof *pred);
  uint32_t *queue = xmalloc(((size_t)g->nnodes + 1) * sizeof *queue);
  uint32_t head = 0, tail = 0, found = g->nnodes;
  for (uint32_t i = 0; i < g->edges.len; i++)
    in[g->node[g->edges.at[i].to]]++;
  for (uint32_t v = 0; v < g->nnodes; v++)
    if (!in[v])
      queue[tail++] = v;
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++) {
      uint32_t w = g->node[g->edges.at[a->out[i]].to];
      if (!--in[w])
        queue[tail++] = w;
    }
  }
  if (tail < g->nnodes) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
      uint32_t v = g->node[g->edges.at[i].from];
      if (in[v])
        pred[g->node[g->edges.at[i].to]] = v;
    }
    found = 0;
    while (!in[found])
      found++;
    for (uint32_t i = 0; i < g->nnodes; i++)
      found = pred[found];
  }
  free(in);
  free(pred);
  free(queue);
  return found;
}

/* Breadth first from `start` until an edge comes back to it. */
static void shortest(const struct conflict_graph *g, const struct adjacency *a,
                     uint32_t start, struct conflict_cycle *cycle) {
  uint32_t *by = xmalloc(((size_t)g->nnodes + 1) * sizeof *by);
  uint32_t *queue = xmalloc(((size_t)g->nnodes + 1) * sizeof *queue);
  uint32_t head = 0, tail = 0, last = UINT32_MAX;
  for (uint32_t v = 0; v < g->nnodes; v++)
    by[v] = UINT32_MAX;
  queue[tail++] = start;
  while (last == UINT32_MAX) {
    assert(head < tail);
    uint32_t v = queue[head++];
    for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++) {
      uint32_t w = g->node[g->edges.at[a->out[i]].to];
      if (w == start) {
        last = a->out[i];
        break;
      }
      if (by[w] == UINT32_MAX) {
        by[w] = a->out[i];
        queue[tail++] = w;
      }
    }
  }
  for (uint32_t i = last;; i = by[g->node[g->edges.at[i].from]]) {
    vec_push(&cycle->edges, g->edges.at[i]);
    if (g->node[g->edges.at[i].from] == start)
      break;
  }
  for (uint32_t i = 0, j = cycle->edges.len - 1; i < j; i++, j--) {
    struct txn_edge e = cycle->edges.at[i];
    cycle->edges.at[i] = cycle->edges.at[j];
    cycle->edges.at[j] = e;
  }
  free(by);
  free(queue);
}

bool conflict_graph_cycle(const struct conflict_graph *g,
                          struct conflict_cycle *cycle) {
  struct adjacency a = by_source(g);
  uint32_t start = on_cycle(g, &a);
  *cycle = (struct conflict_cycle){0};
  if (start < g->nnodes)
    shortest(g, &a, start, cycle);
  free(a.first);
  free(a.out);
  return start < g->nnodes;
}

struct open_txn {
  uint32_t depth, txn;
};

uint32_t txn_assign(struct txn_event *e, uint32_t n) {
  VEC(struct open_txn) open = {0};
  uint32_t ntxns = 0;
  for (uint32_t i = 0; i < n; i++) {
    while (open.len <= e[i].thread)
      vec_push(&open, ((struct open_txn){0, 0}));
    struct open_txn *o = &open.at[e[i].thread];
    if (e[i].kind == TXN_COMMIT) {
      e[i].txn = e[e[i].issue].txn;
      continue;
    }
    if (e[i].kind == TXN_BEGIN && !o->depth++)
      o->txn = ntxns++;
    e[i].txn = o->depth ? o->txn : ntxns++;
    if (e[i].kind == TXN_END) {
      assert(o->depth);
      o->depth--;
    }
  }
  vec_free(&open);
  return ntxns;
}
