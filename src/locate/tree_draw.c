/*
 * What to draw of the graph.  Where all executions are good, or all bad, the
 * steps behind do not matter: such a state is a leaf.  If what is left is still
 * too much, only the way of one execution is drawn, with what else could have
 * happened at its races.
 */
#include "base/arena.h"
#include "locate/tree_int.h"

#include <string.h>

struct draft {
  const struct tree *t;
  uint32_t *number; /* by state: of its node + 1 */
  VEC(struct drawn_node) nodes;
  VEC(uint32_t) states; /* by node */
  VEC(struct drawn_edge) edges;
};

static uint32_t new_node(struct draft *d, uint32_t s) {
  const struct tree *t = d->t;
  vec_push(&d->states, s);
  vec_push(&d->nodes,
           ((struct drawn_node){.leads = (enum race_leads)t->leads[s],
                                .kind = (enum race_kind)t->kind[s],
                                .end = s < STEPS_ENDS}));
  return d->nodes.len - 1;
}

/* Leaves are drawn once for each step that leads to them. */
static uint32_t node_of(struct draft *d, uint32_t s) {
  if (d->t->leads[s] != LEADS_BOTH)
    return new_node(d, s);
  if (!d->number[s])
    d->number[s] = new_node(d, s) + 1;
  return d->number[s] - 1;
}

static struct drawn_edge *draw_edge(struct draft *d, uint32_t from,
                                    uint32_t edge, uint32_t to) {
  const struct steps *g = d->t->g;
  struct drawn_edge e = {
      .from = from, .to = to, .step = *steps_about(g, edge)};
  vec_push(&d->edges, e);
  return &vec_last(&d->edges);
}

/* Everything that is open; false: too much. */
static bool draw_all(struct draft *d, uint32_t most) {
  const struct steps *g = d->t->g;
  node_of(d, g->root);
  for (uint32_t i = 0; i < d->nodes.len && d->nodes.len <= most; i++) {
    uint32_t s = d->states.at[i];
    if (d->t->leads[s] != LEADS_BOTH)
      continue;
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
      uint32_t to = node_of(d, g->edges[e].to);
      draw_edge(d, i, e, to);
    }
  }
  return d->nodes.len <= most;
}

/* Marks what the execution passes, while all is open. */
static void mark_way(struct draft *d, const tree_path *way) {
  const struct steps *g = d->t->g;
  uint32_t s = g->root, next = 0;
  for (uint32_t i = 0; i < way->len && d->t->leads[s] == LEADS_BOTH; i++) {
    uint32_t e = way->at[i], node = d->number[s] - 1;
    bool race = tree_race(d->t, s, (uint8_t)g->edges[e].thread) != RACE_NONE;
    d->nodes.at[node].on_way = true;
    d->nodes.at[node].critical = race;
    for (next = 0; next < d->edges.len; next++)
      if (d->edges.at[next].from == node &&
          !memcmp(&d->edges.at[next].step, steps_about(g, e),
                  sizeof(struct step)))
        break;
    if (next < d->edges.len) {
      d->edges.at[next].on_way = true;
      d->nodes.at[d->edges.at[next].to].on_way = true;
    }
    s = g->edges[e].to;
  }
}

/* The others of a race that the execution passes. */
static void draw_others(struct draft *d, uint32_t node, uint32_t s,
                        uint32_t taken) {
  const struct steps *g = d->t->g;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (e != taken && d->t->leads[g->edges[e].to]) {
      uint32_t to = new_node(d, g->edges[e].to);
      draw_edge(d, node, e, to);
    }
}

static void draw_way(struct draft *d, const tree_path *way) {
  const struct steps *g = d->t->g;
  uint32_t s = g->root, node = new_node(d, s), more = 0, begun = 0;
  for (uint32_t i = 0; i < way->len && d->t->leads[s] == LEADS_BOTH; i++) {
    uint32_t e = way->at[i], to = g->edges[e].to;
    bool race = tree_race(d->t, s, (uint8_t)g->edges[e].thread) != RACE_NONE;
    d->nodes.at[node].on_way = true;
    if (race) {
      d->nodes.at[node].critical = true;
      draw_others(d, node, s, e);
    }
    if (!more)
      begun = e;
    bool stop = d->t->leads[to] != LEADS_BOTH;
    if (!stop && i + 1 < way->len)
      stop = tree_race(d->t, to, (uint8_t)g->edges[way->at[i + 1]].thread);
    if (stop) {
      uint32_t next = new_node(d, to);
      struct drawn_edge *drawn = draw_edge(d, node, begun, next);
      drawn->more = more;
      drawn->on_way = true;
      d->nodes.at[next].on_way = true;
      node = next;
      more = 0;
    } else {
      more++;
    }
    s = to;
  }
}

static void clear(struct draft *d) {
  memset(d->number, 0, d->t->g->nstates * sizeof *d->number);
  vec_clear(&d->nodes);
  vec_clear(&d->states);
  vec_clear(&d->edges);
}

void tree_draw(const struct tree *t, const tree_path *way, uint32_t most,
               struct arena *a, struct drawing *out) {
  struct draft d = {.t = t};
  d.number = xcalloc(t->g->nstates, sizeof *d.number);
  *out = (struct drawing){0};
  if (draw_all(&d, most)) {
    mark_way(&d, way);
  } else {
    clear(&d);
    draw_way(&d, way);
    out->condensed = true;
  }
  out->nnodes = d.nodes.len;
  out->nedges = d.edges.len;
  out->nodes = arena_copy(a, d.nodes.at, d.nodes.len * sizeof *d.nodes.at);
  out->edges = arena_copy(a, d.edges.at, d.edges.len * sizeof *d.edges.at);
  if (!out->nodes || !out->edges)
    *out = (struct drawing){0};
  free(d.number);
  vec_free(&d.nodes);
  vec_free(&d.states);
  vec_free(&d.edges);
}
