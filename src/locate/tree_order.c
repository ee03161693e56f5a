/*
 * An order of the states in which those that follow come first, and what each
 * of them leads to: both come from strongly connected components, which are
 * complete before those that lead to them.
 */
#include "locate/tree_int.h"

#include "base/scc.h"

#include <string.h>

struct tree_sorter {
  struct tree *t;
  uint32_t components;
};

static void find_depths(struct tree *t) {
  const struct steps *g = t->g;
  VEC(uint32_t) queue = {0};
  uint8_t *seen = xcalloc(g->nstates, 1);
  vec_push(&queue, g->root);
  seen[g->root] = 1;
  for (uint32_t i = 0; i < queue.len; i++) {
    uint32_t s = queue.at[i];
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
      uint32_t to = g->edges[e].to;
      if (seen[to])
        continue;
      seen[to] = 1;
      t->depth[to] = t->depth[s] + 1;
      vec_push(&queue, to);
    }
  }
  free(seen);
  vec_free(&queue);
}

struct at_depth {
  uint32_t depth, state;
};

static int deepest_first(const void *a, const void *b) {
  const struct at_depth *x = a, *y = b;
  if (x->depth != y->depth)
    return x->depth < y->depth ? 1 : -1;
  return (x->state > y->state) - (x->state < y->state);
}

/* Within a component, only steps to greater depth are followed. */
static void put_in_order(struct tree *t, const uint32_t *states, uint32_t n) {
  if (n == 1) {
    t->order[t->norder++] = states[0];
    return;
  }
  struct at_depth *sorted = xmalloc(n * sizeof *sorted);
  for (uint32_t i = 0; i < n; i++)
    sorted[i] = (struct at_depth){t->depth[states[i]], states[i]};
  qsort(sorted, n, sizeof *sorted, deepest_first);
  for (uint32_t i = 0; i < n; i++)
    t->order[t->norder++] = sorted[i].state;
  free(sorted);
}

static bool next_state(void *ctx, uint32_t s, uint32_t *at, uint32_t *to) {
  const struct tree_sorter *sorter = ctx;
  const struct steps *g = sorter->t->g;
  uint32_t e = g->first[s] + *at;
  if (e == g->first[s + 1])
    return false;
  ++*at;
  *to = g->edges[e].to;
  return true;
}

/* Its states lead to what the steps out of it lead to. */
static void add_component(void *ctx, const uint32_t *states, uint32_t n) {
  struct tree_sorter *sorter = ctx;
  struct tree *t = sorter->t;
  const struct steps *g = t->g;
  uint32_t number = ++sorter->components, leads = 0;
  for (uint32_t i = 0; i < n; i++)
    t->component[states[i]] = number;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t e = g->first[states[i]]; e < g->first[states[i] + 1]; e++)
      if (t->component[g->edges[e].to] == number)
        t->circles = true;
      else
        leads |= t->leads[g->edges[e].to];
  put_in_order(t, states, n);
  for (uint32_t i = 0; i < n; i++)
    t->leads[states[i]] = (uint8_t)leads;
}

void tree_sort(struct tree *t) {
  struct tree_sorter sorter = {.t = t, .components = STEPS_ENDS};
  struct scc scc = {
      .ctx = &sorter, .next = next_state, .complete = add_component};
  scc_init(&scc, t->g->nstates);
  for (uint32_t end = 0; end < STEPS_ENDS; end++) {
    scc_leave_out(&scc, end);
    t->component[end] = 1 + end;
  }
  t->leads[STEPS_GOOD] = LEADS_GOOD;
  t->leads[STEPS_BAD] = LEADS_BAD;
  find_depths(t);
  scc_from(&scc, t->g->root);
  scc_free(&scc);
}
