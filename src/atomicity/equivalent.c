/*
 * SC-equivalence of executions whose accesses may be of several objects: the
 * write contraction of tso_sc_equivalent, but the parts of an access are one
 * node, since SC makes them at once.
 *
 * (A) where every access is of one object, it says what tso_sc_equivalent says.
 *                                           tests/agree/atomicity_engine.c
 */
#include "atomicity/from_trace.h"
#include "atomicity/tso_int.h"

#include <stdlib.h>

struct contraction {
  const struct txn_event *e;
  uint32_t n;
  uint32_t *node;
  uint32_t *commit; /* write: of its commit, or n */
  uint32_t *source; /* read: the write of its own buffer, or n */
};

static uint32_t number_nodes(struct contraction *c) {
  uint32_t nodes = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct txn_event *e = &c->e[i];
    if (e->kind == TXN_COMMIT)
      c->node[i] = c->node[e->issue];
    else if (i && e[-1].kind != TXN_COMMIT && e[-1].at == e->at)
      c->node[i] = c->node[i - 1];
    else
      c->node[i] = nodes++;
  }
  return nodes;
}

static void find_sources(struct contraction *c) {
  for (uint32_t i = 0; i < c->n; i++)
    c->commit[i] = c->source[i] = c->n;
  for (uint32_t i = 0; i < c->n; i++)
    if (c->e[i].kind == TXN_COMMIT)
      c->commit[c->e[i].issue] = i;
  for (uint32_t i = 0; i < c->n; i++) {
    if (c->e[i].kind != TXN_READ)
      continue;
    uint32_t w = i;
    while (w-- > 0)
      if (c->e[w].kind == TXN_WRITE && c->e[w].thread == c->e[i].thread &&
          c->e[w].object == c->e[i].object)
        break;
    if (w < i && c->commit[w] > i)
      c->source[i] = w;
  }
}

/* A read from the buffer, and a commit while its write is there. */
static bool parallel(const struct contraction *c, uint32_t r, uint32_t w) {
  uint32_t s = c->source[r];
  return s < c->n && s < w && w < c->commit[s];
}

/* Is what i does to be seen in memory, and when? */
static bool in_memory(const struct txn_event *e) {
  return e->kind == TXN_READ || e->kind == TXN_RMW || e->kind == TXN_COMMIT;
}

static bool edge(const struct contraction *c, uint32_t i, uint32_t j) {
  const struct txn_event *a = &c->e[i], *b = &c->e[j];
  if (a->thread == b->thread)
    return a->kind != TXN_COMMIT && b->kind != TXN_COMMIT;
  if (tso_hand_over(a, b))
    return true;
  return in_memory(a) && in_memory(b) && a->object == b->object &&
         !(a->kind == TXN_READ && b->kind == TXN_READ) && !parallel(c, i, j) &&
         !parallel(c, j, i);
}

bool txn_sc_equivalent(const struct txn_event *e, uint32_t n,
                       struct conflict_cycle *cycle) {
  struct contraction c = {.e = e, .n = n};
  struct conflict_graph g;
  c.node = xcalloc((size_t)n + 1, sizeof *c.node);
  c.commit = xcalloc((size_t)n + 1, sizeof *c.commit);
  c.source = xcalloc((size_t)n + 1, sizeof *c.source);
  uint32_t nodes = number_nodes(&c);
  find_sources(&c);
  conflict_graph_init(&g, c.node, nodes + 1);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++)
      if (edge(&c, i, j))
        conflict_graph_add(&g, i, j);
  bool cyclic = conflict_graph_cycle(&g, cycle);
  conflict_graph_free(&g);
  free(c.node);
  free(c.commit);
  free(c.source);
  return !cyclic;
}
