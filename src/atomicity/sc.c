/* Conflicts under sequential consistency. */
#include "atomicity/sc.h"

#include <string.h>

static bool access_of(const struct txn_event *e) {
  return e->kind == TXN_READ || e->kind == TXN_WRITE || e->kind == TXN_RMW;
}

static bool in_conflict(const struct txn_event *a, const struct txn_event *b) {
  if (a->thread == b->thread)
    return true;
  if (a->kind == TXN_FORK && a->object == b->thread)
    return true;
  if (b->kind == TXN_JOIN && b->object == a->thread)
    return true;
  return access_of(a) && access_of(b) && a->object == b->object &&
         !(a->kind == TXN_READ && b->kind == TXN_READ);
}

void sc_conflicts_all(const struct txn_event *e, uint32_t n,
                      struct conflict_graph *g) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++)
      if (in_conflict(&e[i], &e[j]))
        conflict_graph_add(g, i, j);
}

/* What the next event of a thread, or on an object, comes after. */
#define NOTHING UINT32_MAX
struct last_accesses {
  uint32_t write;
  VEC(uint32_t) reads; /* since, one a thread */
};
struct linear {
  VEC(uint32_t) of_thread, fork;
  VEC(struct last_accesses) of_object;
};

static void access_edges(struct linear *l, const struct txn_event *e,
                         uint32_t i, struct conflict_graph *g) {
  while (l->of_object.len <= e[i].object)
    vec_push(&l->of_object, ((struct last_accesses){.write = NOTHING}));
  struct last_accesses *o = &l->of_object.at[e[i].object];
  if (o->write != NOTHING)
    conflict_graph_add(g, o->write, i);
  if (e[i].kind == TXN_READ) {
    uint32_t k = 0;
    while (k < o->reads.len && e[o->reads.at[k]].thread != e[i].thread)
      k++;
    if (k < o->reads.len)
      o->reads.at[k] = i;
    else
      vec_push(&o->reads, i);
    return;
  }
  for (uint32_t k = 0; k < o->reads.len; k++)
    conflict_graph_add(g, o->reads.at[k], i);
  vec_clear(&o->reads);
  o->write = i;
}

static void thread_edges(struct linear *l, const struct txn_event *e,
                         uint32_t i, struct conflict_graph *g) {
  uint32_t most = e[i].thread;
  if ((e[i].kind == TXN_FORK || e[i].kind == TXN_JOIN) && e[i].object > most)
    most = e[i].object;
  while (l->of_thread.len <= most) {
    vec_push(&l->of_thread, NOTHING);
    vec_push(&l->fork, NOTHING);
  }
  uint32_t *last = &l->of_thread.at[e[i].thread];
  uint32_t *fork = &l->fork.at[e[i].thread];
  if (*last != NOTHING)
    conflict_graph_add(g, *last, i);
  if (*fork != NOTHING)
    conflict_graph_add(g, *fork, i);
  *fork = NOTHING;
  *last = i;
  if (e[i].kind == TXN_JOIN && l->of_thread.at[e[i].object] != NOTHING)
    conflict_graph_add(g, l->of_thread.at[e[i].object], i);
  if (e[i].kind == TXN_FORK)
    l->fork.at[e[i].object] = i;
}

void sc_conflicts(const struct txn_event *e, uint32_t n,
                  struct conflict_graph *g) {
  struct linear l = {0};
  for (uint32_t i = 0; i < n; i++) {
    thread_edges(&l, e, i, g);
    if (access_of(&e[i]))
      access_edges(&l, e, i, g);
  }
  for (uint32_t i = 0; i < l.of_object.len; i++)
    vec_free(&l.of_object.at[i].reads);
  vec_free(&l.of_object);
  vec_free(&l.of_thread);
  vec_free(&l.fork);
}

enum { SMALL = 3000 }; /* all pairs give a shorter cycle */

bool sc_serializable(const struct txn_event *e, uint32_t n,
                     struct conflict_cycle *cycle) {
  uint32_t *node = xmalloc(((size_t)n + 1) * sizeof *node), most = 0;
  struct conflict_graph g;
  for (uint32_t i = 0; i < n; i++) {
    node[i] = e[i].txn;
    most = e[i].txn > most ? e[i].txn : most;
  }
  conflict_graph_init(&g, node, most + 1);
  if (n <= SMALL)
    sc_conflicts_all(e, n, &g);
  else
    sc_conflicts(e, n, &g);
  bool cyclic = conflict_graph_cycle(&g, cycle);
  conflict_graph_free(&g);
  free(node);
  return !cyclic;
}
