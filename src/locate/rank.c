/* The order of causes: what good traces each would lose. */
#include "locate/rank.h"

#include "base/vec.h"

#include <assert.h>

/*
 * The graph of transactions.  An edge from each to the next of its thread, and
 * to each node from the last conflicting node before it of every other thread:
 * the earlier ones are joined to that by program order.  It has a cycle if and
 * only if taking away what nothing points to, again and again, leaves a rest.
 */
struct ranking_graph {
  const struct conflicts *c;
  uint32_t *of;      /* the transaction of each node */
  uint32_t *members; /* where in by_thread it begins; one more at the end */
  uint32_t n;
};

/* Numbered along by_thread, so that members are neighbours there. */
static void gather(struct ranking_graph *g, const uint32_t *unit) {
  const struct conflicts *c = g->c;
  for (uint32_t r = 0; r < c->nnodes; r++) {
    uint32_t node = c->by_thread[r], before = r ? c->by_thread[r - 1] : node;
    bool same = r && unit[node] != UNIT_ALONE && unit[node] == unit[before] &&
                c->nodes[node].op == c->nodes[before].op;
    if (!same)
      g->members[g->n++] = r;
    g->of[node] = g->n - 1;
  }
  g->members[g->n] = c->nnodes;
}

/*
 * Successors are not stored: a transaction is ready when all predecessors of
 * its nodes are gone.  A thread's transactions go in order, so there is one
 * candidate a thread, and how far each thread is tells what is gone.  What has
 * been found gone is not looked at again.
 */
struct ranking_progress {
  uint32_t *next;    /* of each thread: its first transaction that is left */
  uint32_t *moved;   /* of each thread: position of the last node gone */
  uint32_t *checked; /* of each thread: where in by_thread to go on looking */
};

static bool all_gone(const struct conflicts *c,
                     const struct ranking_progress *p, uint32_t node) {
  const uint32_t *before = c->last_before + (size_t)node * c->nthreads;
  for (uint32_t t = 0; t < c->nthreads; t++)
    if (before[t] > p->moved[t])
      return false;
  return true;
}

static bool ready(const struct ranking_graph *g, struct ranking_progress *p,
                  uint32_t t) {
  uint32_t end = g->members[p->next[t] + 1];
  while (p->checked[t] < end &&
         all_gone(g->c, p, g->c->by_thread[p->checked[t]]))
    p->checked[t]++;
  return p->checked[t] == end;
}

static bool thread_done(const struct ranking_graph *g,
                        const struct ranking_progress *p, uint32_t t) {
  return p->moved[t] == thread_length(g->c, t);
}

/* Takes away as many transactions of thread t as can be. */
static bool advance(const struct ranking_graph *g, struct ranking_progress *p,
                    uint32_t t) {
  bool any = false;
  while (!thread_done(g, p, t) && ready(g, p, t)) {
    uint32_t last = g->members[++p->next[t]] - 1;
    p->moved[t] = g->c->nodes[g->c->by_thread[last]].pos;
    any = true;
  }
  return any;
}

static bool leaves_rest(const struct ranking_graph *g) {
  const struct conflicts *c = g->c;
  struct ranking_progress p = {
      xcalloc((size_t)c->nthreads + 1, sizeof *p.next),
      xcalloc((size_t)c->nthreads + 1, sizeof *p.moved),
      xcalloc((size_t)c->nthreads + 1, sizeof *p.checked)};
  for (uint32_t t = 0; t < c->nthreads; t++) {
    p.next[t] = g->of[node_at(c, t, 1)];
    p.checked[t] = c->thread_at[t];
  }
  bool moved = true, rest = false;
  while (moved) {
    moved = rest = false;
    for (uint32_t t = 0; t < c->nthreads; t++) {
      moved |= advance(g, &p, t);
      rest |= !thread_done(g, &p, t);
    }
  }
  free(p.next);
  free(p.moved);
  free(p.checked);
  return rest;
}

bool conflicts_cyclic(const struct conflicts *c, const uint32_t *unit) {
  size_t n = (size_t)c->nnodes + 1;
  struct ranking_graph g = {c, xcalloc(n, sizeof *g.of),
                            xcalloc(n, sizeof *g.members), 0};
  gather(&g, unit);
  bool cyclic = leaves_rest(&g);
  free(g.of);
  free(g.members);
  return cyclic;
}

static uint32_t longest(const struct rank_input *in) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < in->ngood; i++)
    if (n < in->good[i].conflicts->nnodes)
      n = in->good[i].conflicts->nnodes;
  for (uint32_t i = 0; i < in->nbad; i++)
    if (n < in->bad[i].conflicts->nnodes)
      n = in->bad[i].conflicts->nnodes;
  return n;
}

static uint32_t count_eliminated(struct cause c, const struct rank_input *in,
                                 uint32_t *unit) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < in->ngood; i++) {
    in->units(in->ctx, c, &in->good[i], unit);
    n += conflicts_cyclic(in->good[i].conflicts, unit);
  }
  return n;
}

uint32_t rank_price(struct cause c, const struct rank_input *in) {
  uint32_t *unit = xcalloc((size_t)longest(in) + 1, sizeof *unit);
  uint32_t n = count_eliminated(c, in, unit);
  free(unit);
  return n;
}

static void weigh(struct ranked *r, const struct rank_input *in,
                  uint32_t *unit) {
  r->lines = cause_lines(r->cause);
  r->eliminates = count_eliminated(r->cause, in, unit);
  for (uint32_t i = 0; i < in->nbad; i++) {
    const struct conflicts *c = in->bad[i].conflicts;
    in->units(in->ctx, r->cause, &in->bad[i], unit);
    r->misses += !conflicts_cyclic(c, unit);
    for (uint32_t k = 0; k < c->nnodes; k++)
      r->events += unit[k] != UNIT_ALONE;
  }
}

static int compare_keys(const struct ranked *a, const struct ranked *b) {
  if (a->eliminates != b->eliminates)
    return a->eliminates < b->eliminates ? -1 : 1;
  if (a->cause.nblocks != b->cause.nblocks)
    return a->cause.nblocks < b->cause.nblocks ? -1 : 1;
  if (a->events != b->events)
    return a->events < b->events ? -1 : 1;
  return a->lines < b->lines ? -1 : a->lines > b->lines;
}

static int compare_ranked(const void *x, const void *y) {
  const struct ranked *a = x, *b = y;
  int by = compare_keys(a, b);
  return by ? by : cause_compare(a->cause, b->cause);
}

void rank_causes(const struct causes *causes, const struct rank_input *in,
                 struct ranked *out) {
  uint32_t *unit = xcalloc((size_t)longest(in) + 1, sizeof *unit);
  for (uint32_t i = 0; i < causes->len; i++) {
    out[i] = (struct ranked){.cause = causes->at[i]};
    weigh(&out[i], in, unit);
  }
  free(unit);
  if (causes->len)
    qsort(out, causes->len, sizeof *out, compare_ranked);
  for (uint32_t i = 0; i < causes->len; i++)
    out[i].rank =
        i && !compare_keys(&out[i - 1], &out[i]) ? out[i - 1].rank : i + 1;
}
