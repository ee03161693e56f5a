/*
 * Executions that avoid every switch behind a label are counted from the ends
 * to the root, once for each label; the others switch there.  Behind an edge
 * with the label, only edges of the same thread go on.
 */
#include "locate/switches.h"

#include <stdlib.h>

/* Sums of two stay below 2^64. */
#define MOST (UINT64_C(1) << 62)

struct counting {
  const struct steps *g;
  const uint32_t *label;
  uint32_t *order; /* states, those that follow first */
  uint32_t norder;
  struct switch_count *edge; /* executions behind each edge */
  bool many;
};

static struct switch_count add(struct counting *c, struct switch_count a,
                               struct switch_count b) {
  a.good += b.good;
  a.bad += b.bad;
  c->many |= a.good > MOST || a.bad > MOST;
  return c->many ? (struct switch_count){0, 0} : a;
}

/* False: there is a circle. */
static bool put_in_order(struct counting *c) {
  const struct steps *g = c->g;
  enum { NEW, OPEN, DONE };
  uint8_t *is = xcalloc(g->nstates + 1u, 1);
  uint32_t *next = xcalloc(g->nstates + 1u, sizeof *next);
  VEC(uint32_t) way = {0};
  bool circle = false;
  vec_push(&way, g->root);
  is[g->root] = OPEN;
  next[g->root] = g->first[g->root];
  while (way.len && !circle) {
    uint32_t s = vec_last(&way);
    if (next[s] == g->first[s + 1]) {
      is[s] = DONE;
      c->order[c->norder++] = s;
      way.len--;
      continue;
    }
    uint32_t to = g->edges[next[s]++].to;
    circle = is[to] == OPEN;
    if (is[to] == NEW) {
      is[to] = OPEN;
      next[to] = g->first[to];
      vec_push(&way, to);
    }
  }
  vec_free(&way);
  free(next);
  free(is);
  return !circle;
}

/* Executions from state s on; only by `thread` first, unless it is negative. */
static struct switch_count from(struct counting *c, uint32_t s, int thread) {
  const struct steps *g = c->g;
  struct switch_count n = {s == STEPS_GOOD, s == STEPS_BAD};
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (thread < 0 || g->edges[e].thread == (uint32_t)thread)
      n = add(c, n, c->edge[e]);
  return n;
}

/* Executions without a switch behind the label. */
static struct switch_count avoiding(struct counting *c, uint32_t label) {
  const struct steps *g = c->g;
  for (uint32_t i = 0; i < c->norder; i++) {
    uint32_t s = c->order[i];
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
      const struct step_edge *x = &g->edges[e];
      bool stays = label != SWITCHES_NO_LABEL && c->label[x->step] == label &&
                   !(g->steps.at[x->step].flags & STEP_RETURNS);
      c->edge[e] = from(c, x->to, stays ? (int)x->thread : -1);
    }
  }
  return from(c, g->root, -1);
}

bool switches_count(const struct steps *g, const uint32_t *label,
                    uint32_t nlabels, struct switch_count *out) {
  struct counting c = {.g = g, .label = label};
  c.order = xcalloc(g->nstates + 1u, sizeof *c.order);
  c.edge = xcalloc(g->first[g->nstates] + 1u, sizeof *c.edge);
  bool known = put_in_order(&c);
  if (known) {
    struct switch_count all = avoiding(&c, SWITCHES_NO_LABEL);
    out[nlabels] = all;
    for (uint32_t i = 0; i < nlabels && !c.many; i++) {
      struct switch_count none = avoiding(&c, i);
      out[i] = (struct switch_count){all.good - none.good, all.bad - none.bad};
    }
  }
  free(c.order);
  free(c.edge);
  return known && !c.many;
}
