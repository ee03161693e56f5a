/* The interleaving tree on its graph: what states lead to, races. */
#include "locate/tree_int.h"

#include "base/slow.h"

#include <assert.h>

/* ---- races ---- */

struct tree_child { /* a thread that can step, and leads somewhere */
  uint8_t thread;
  uint8_t leads;
  uint32_t first, after; /* edges */
};
enum { MOST_THREADS = 32 };

static uint32_t children(const struct tree *t, uint32_t s,
                         struct tree_child out[MOST_THREADS]) {
  const struct steps *g = t->g;
  uint32_t n = 0;
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
    uint8_t leads = t->leads[g->edges[e].to];
    if (!leads)
      continue;
    if (!n || out[n - 1].thread != g->edges[e].thread)
      out[n++] = (struct tree_child){(uint8_t)g->edges[e].thread, 0, e, e};
    out[n - 1].leads |= leads;
    out[n - 1].after = e + 1;
  }
  return n;
}

static const struct step *step_of(const struct steps *g, uint32_t edge) {
  return &g->steps.at[g->edges[edge].step];
}

static bool are_timed(const struct tree *t, const struct step *a,
                      const struct step *b) {
  return t->o.between == TREE_REAL_TIME && steps_timed(a, b);
}

/* Does what they access alone make them depend on each other? */
static bool accesses_depend(const struct tree *t, uint32_t a, uint32_t b) {
  const struct step *x = &t->g->steps.at[a], *y = &t->g->steps.at[b];
  if (t->o.between != TREE_VARIABLES)
    return steps_conflict(x, y);
  return t->o.in_set[a] && t->o.in_set[b] &&
         !(step_only_reads(x) && step_only_reads(y));
}

/* Does a section take further locks? */
static bool is_nested(const struct steps *g, const step_list *section) {
  for (uint32_t i = 1; i < section->len; i++)
    if (step_locks(&g->steps.at[section->at[i]]))
      return true;
  return false;
}

/*
 * Two critical sections: their locks alone make no race, if what they do is
 * independent, and they take no others on the way.
 */
static bool sections_depend(const struct tree *r, uint32_t a, uint32_t b) {
  const struct steps *g = r->g;
  step_list x = {0}, y = {0};
  bool some = false;
  steps_section(g, a, &x);
  steps_section(g, b, &y);
  bool nested = is_nested(g, &x) || is_nested(g, &y);
  for (uint32_t i = 0; i < x.len && !some; i++)
    for (uint32_t k = 0; k < y.len && !some; k++) {
      const struct step *s = &g->steps.at[x.at[i]], *t = &g->steps.at[y.at[k]];
      bool only_guards = step_guards(s) && step_guards(t) && !nested;
      some = are_timed(r, s, t) ||
             (accesses_depend(r, x.at[i], y.at[k]) && !only_guards);
    }
  vec_free(&x);
  vec_free(&y);
  return some;
}

/* Sections of one lock, or all of them, are compared as wholes. */
static bool are_sections(const struct steps *g, uint32_t a, uint32_t b) {
  const struct step *s = step_of(g, a), *t = step_of(g, b);
  return g->sections || (step_locks(s) && step_locks(t) && s->addr == t->addr);
}

/* Behind the edge a, is the step of b, another thread's, still its next? */
static bool is_still_next(const struct steps *g, uint32_t a, uint32_t b) {
  uint32_t to =
      are_sections(g, a, b) ? steps_section_end(g, a) : g->edges[a].to;
  const struct step *s = step_of(g, b);
  for (uint32_t e = g->first[to]; e < g->first[to + 1]; e++)
    if (g->edges[e].thread == g->edges[b].thread &&
        step_is_same(step_of(g, e), s))
      return true;
  return false;
}

static bool edges_depend(const struct tree *t, uint32_t a, uint32_t b) {
  const struct steps *g = t->g;
  if (t->o.between == TREE_VARIABLES &&
      (!is_still_next(g, a, b) || !is_still_next(g, b, a)))
    return false; /* Definition 5: both orders are beginnings */
  if (are_sections(g, a, b))
    return sections_depend(t, a, b);
  return accesses_depend(t, g->edges[a].step, g->edges[b].step) ||
         are_timed(t, step_of(g, a), step_of(g, b));
}

/* Does any of the one's steps depend on any of the other's? */
static bool depend(const struct tree *t, const struct tree_child *a,
                   const struct tree_child *b) {
  for (uint32_t i = a->first; i < a->after; i++)
    for (uint32_t k = b->first; k < b->after; k++)
      if (edges_depend(t, i, k))
        return true;
  return false;
}

enum { HAS_GOOD = 1 << LEADS_GOOD, HAS_BAD = 1 << LEADS_BAD };
enum { HAS_BOTH = 1 << LEADS_BOTH };

static enum race_kind kind_of(uint32_t meet, uint32_t all) {
  if (!meet)
    return RACE_NONE;
  if ((meet & HAS_GOOD) && (meet & HAS_BAD)) /* another thread may go on */
    return all & HAS_BOTH ? RACE_WBG : RACE_G;
  return meet & HAS_GOOD ? RACE_WG : RACE_BG;
}

static void find_race(struct tree *t, uint32_t s) {
  struct tree_child c[MOST_THREADS];
  uint32_t n = children(t, s, c), meet = 0, all = 0;
  for (uint32_t i = 0; i < n; i++) {
    all |= 1u << c[i].leads;
    for (uint32_t k = 0; k < i; k++)
      if (c[i].leads != c[k].leads &&
          (t->o.between == TREE_ANY || depend(t, &c[i], &c[k]))) {
        meet |= 1u << c[i].leads | 1u << c[k].leads;
        t->rivals[s] |= 1u << c[i].thread | 1u << c[k].thread;
      }
  }
  t->kind[s] = (uint8_t)kind_of(meet, all);
}

/* ---- */

struct tree *tree_new(const struct steps *g, const struct tree_options *o) {
  struct tree *t = xcalloc(1, sizeof *t);
  check_slow((steps_check_invariants(g), true)); /* N1, N2 */
  assert((o->between == TREE_VARIABLES) == (o->in_set != NULL));
  t->g = g;
  t->o = *o;
  t->order = xmalloc((g->nstates + 1u) * sizeof *t->order);
  t->component = xcalloc(g->nstates, sizeof *t->component);
  t->depth = xcalloc(g->nstates, sizeof *t->depth);
  t->leads = xcalloc(g->nstates, sizeof *t->leads);
  t->kind = xcalloc(g->nstates, sizeof *t->kind);
  t->rivals = xcalloc(g->nstates, sizeof *t->rivals);
  tree_sort(t);
  for (uint32_t i = 0; i < t->norder; i++)
    if (t->leads[t->order[i]] == LEADS_BOTH)
      find_race(t, t->order[i]);
  return t;
}

void tree_free(struct tree *t) {
  free(t->order);
  free(t->component);
  free(t->depth);
  free(t->leads);
  free(t->kind);
  free(t->rivals);
  free(t);
}

enum race_leads tree_leads(const struct tree *t, uint32_t state) {
  return (enum race_leads)t->leads[state];
}

enum race_leads tree_leads_by(const struct tree *t, uint32_t state,
                              uint8_t thread) {
  const struct steps *g = t->g;
  uint32_t leads = 0;
  for (uint32_t e = g->first[state]; e < g->first[state + 1]; e++)
    if (g->edges[e].thread == thread)
      leads |= t->leads[g->edges[e].to];
  return (enum race_leads)leads;
}

enum race_kind tree_race(const struct tree *t, uint32_t state, uint8_t thread) {
  return t->rivals[state] >> thread & 1 ? (enum race_kind)t->kind[state]
                                        : RACE_NONE;
}

uint32_t tree_rivals(const struct tree *t, uint32_t state) {
  return t->rivals[state];
}

bool tree_follows(const struct tree *t, uint32_t state, uint32_t edge) {
  uint32_t to = t->g->edges[edge].to;
  return t->component[state] != t->component[to] ||
         t->depth[to] > t->depth[state];
}

bool tree_has_circles(const struct tree *t) { return t->circles; }
