/*
 * An order of the states in which those that follow come first, and what each
 * of them leads to: strongly connected components (Tarjan 1972), which are
 * complete before those that lead to them.
 */
#include "locate/tree_int.h"

#include <string.h>

struct tarjan {
  struct tree *t;
  uint32_t *low;  /* 0: not met; CLOSED: its component is complete */
  uint32_t *next; /* edge to look at */
  VEC(uint32_t) calls, open;
  VEC(uint32_t) begun; /* when the state on `calls` was met */
  uint32_t met, components;
};
#define CLOSED UINT32_MAX

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

static void visit(struct tarjan *j, uint32_t s) {
  j->low[s] = ++j->met;
  j->next[s] = j->t->g->first[s];
  vec_push(&j->calls, s);
  vec_push(&j->begun, j->met);
  vec_push(&j->open, s);
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
static void put_in_order(struct tarjan *j, uint32_t first) {
  struct tree *t = j->t;
  uint32_t n = j->open.len - first;
  if (n == 1) {
    t->order[t->norder++] = j->open.at[first];
    return;
  }
  struct at_depth *sorted = xmalloc(n * sizeof *sorted);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t s = j->open.at[first + i];
    sorted[i] = (struct at_depth){t->depth[s], s};
  }
  qsort(sorted, n, sizeof *sorted, deepest_first);
  for (uint32_t i = 0; i < n; i++)
    t->order[t->norder++] = sorted[i].state;
  free(sorted);
}

/* Its states lead to what the steps out of it lead to. */
static void close_component(struct tarjan *j, uint32_t first) {
  struct tree *t = j->t;
  const struct steps *g = t->g;
  uint32_t number = ++j->components, leads = 0;
  for (uint32_t i = first; i < j->open.len; i++)
    t->component[j->open.at[i]] = number;
  for (uint32_t i = first; i < j->open.len; i++) {
    uint32_t s = j->open.at[i];
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
      if (t->component[g->edges[e].to] == number)
        t->circles = true;
      else
        leads |= t->leads[g->edges[e].to];
  }
  put_in_order(j, first);
  for (uint32_t i = first; i < j->open.len; i++) {
    t->leads[j->open.at[i]] = (uint8_t)leads;
    j->low[j->open.at[i]] = CLOSED;
  }
  j->open.len = first;
}

static void leave(struct tarjan *j) {
  uint32_t s = vec_pop(&j->calls), begun = vec_pop(&j->begun);
  if (j->low[s] == begun) {
    uint32_t first = j->open.len;
    while (j->open.at[--first] != s)
      ;
    close_component(j, first);
  } else if (j->calls.len && j->low[s] < j->low[vec_last(&j->calls)]) {
    j->low[vec_last(&j->calls)] = j->low[s];
  }
}

static void go_on(struct tarjan *j) {
  const struct steps *g = j->t->g;
  uint32_t s = vec_last(&j->calls);
  if (j->next[s] == g->first[s + 1]) {
    leave(j);
    return;
  }
  uint32_t to = g->edges[j->next[s]++].to;
  if (!j->low[to])
    visit(j, to);
  else if (j->low[to] < j->low[s])
    j->low[s] = j->low[to];
}

void tree_sort(struct tree *t) {
  struct tarjan j = {.t = t, .components = STEPS_ENDS};
  j.low = xcalloc(t->g->nstates, sizeof *j.low);
  j.next = xcalloc(t->g->nstates, sizeof *j.next);
  for (uint32_t end = 0; end < STEPS_ENDS; end++) {
    j.low[end] = CLOSED;
    t->component[end] = 1 + end;
  }
  t->leads[STEPS_GOOD] = LEADS_GOOD;
  t->leads[STEPS_BAD] = LEADS_BAD;
  find_depths(t);
  visit(&j, t->g->root);
  while (j.calls.len)
    go_on(&j);
  free(j.low);
  free(j.next);
  vec_free(&j.calls);
  vec_free(&j.open);
  vec_free(&j.begun);
}
