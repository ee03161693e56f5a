/*
 * A census of the smallest failing client: behind which lines its executions
 * switch, counted on its graph of states, and the outcomes that they have.
 */
#include "diagnose/census.h"

#include "debug/lines.h"
#include "diagnose/diagnose_int.h"
#include "hunt/inside.h"
#include "locate/switches.h"
#include "model/nouns.h"
#include "search/step_graph.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_STATES = 100000,
  MOST_SECONDS = 5,  /* for the graph */
  MOST_RUNS = 20000, /* interleavings that are all run for their outcomes */
  RUN_SECONDS = 3,
  MOST_OUTCOMES = 200,
};

/* ---- in the worker ---- */

/* The user's innermost line; NULL in a function of a system header. */
static const struct place *line_of(const struct hunt *h, uint64_t pc) {
  return place_own(pc ? lines_place(h->target->lines, pc - 1) : NULL);
}

struct lines_met {
  VEC(const struct place *) at;
  uint32_t *label; /* by step of the graph */
};

static void label_steps(const struct hunt *h, const struct steps *g,
                        struct lines_met *m) {
  m->label = xcalloc(g->steps.len + 1u, sizeof *m->label);
  for (uint32_t i = 0; i < g->steps.len; i++) {
    const struct place *p = line_of(h, g->steps.at[i].pc);
    uint32_t k = 0;
    m->label[i] = SWITCHES_NO_LABEL;
    if (!p)
      continue;
    while (k < m->at.len &&
           (m->at.at[k]->line != p->line || strcmp(m->at.at[k]->file, p->file)))
      k++;
    if (k == m->at.len)
      vec_push(&m->at, p);
    m->label[i] = k;
  }
}

static void count_switches(struct hunt *h, const struct steps *g,
                           struct census *out) {
  struct arena *a = &h->work->arena;
  struct lines_met m = {0};
  label_steps(h, g, &m);
  struct switch_count *n = xcalloc(m.at.len + 1u, sizeof *n);
  out->counted = switches_count(g, m.label, m.at.len, n);
  if (out->counted) {
    out->good = n[m.at.len].good;
    out->bad = n[m.at.len].bad;
    out->nlines = m.at.len;
    out->lines = arena_alloc(a, (m.at.len + 1u) * sizeof *out->lines);
    for (uint32_t i = 0; i < m.at.len; i++)
      out->lines[i] =
          (struct switch_line){arena_strdup(a, m.at.at[i]->file),
                               m.at.at[i]->line, n[i].good, n[i].bad};
  }
  free(n);
  free(m.label);
  vec_free(&m.at);
}

static void share_outcomes(struct hunt *h, struct census *out) {
  struct arena *a = &h->work->arena;
  const outcome_list *from = &h->checker.outcomes;
  if (from->len > MOST_OUTCOMES)
    return;
  out->faults = h->checker.faults;
  out->outcomes.at = arena_alloc(a, (from->len + 1) * sizeof *from->at);
  for (uint32_t i = 0; i < from->len; i++) {
    const struct outcome *o = &from->at[i];
    struct outcome copy = *o;
    if (!o->executions)
      continue; /* of a search that began anew */
    copy.results.at =
        arena_alloc(a, (o->results.len + 1) * sizeof *copy.results.at);
    for (uint32_t k = 0; k < o->results.len; k++)
      value_copy(&copy.results.at[k], o->results.at[k], a);
    out->outcomes.at[out->outcomes.len++] = copy;
  }
}

/* All interleavings where they are few; else the states' representatives. */
static void run_outcomes(struct hunt *h, uint64_t interleavings,
                         struct census *out) {
  struct explore x;
  hunt_explore_init(h, &x);
  bool few = interleavings && interleavings <= MOST_RUNS;
  x.all = true;
  x.share = NULL;
  x.bound_preemptions = false;
  x.no_reduction = few;
  x.max_executions = MOST_RUNS;
  x.max_states = MOST_STATES;
  x.deadline = hunt_until(h, RUN_SECONDS);
  h->checker.want_outcomes = true;
  enum explore_end end = few ? explore_dfs(&x) : explore_stateful(&x);
  if (end == EXPLORE_ALL && !x.cut) {
    share_outcomes(h, out);
    out->all_outcomes = few;
  }
  vec_free(&x.bad);
}

static void take(struct hunt *h, const struct client *c, struct census *out) {
  struct step_graph whole;
  struct step_graph_kind order = {STEP_GRAPH_ALL, false};
  struct explore x;
  hunt_explore_init(h, &x);
  x.max_states = MOST_STATES;
  x.max_memory = h->set->memory;
  x.deadline = hunt_until(h, MOST_SECONDS);
  x.bound_preemptions = false;
  x.share = NULL;
  step_graph_build(&whole, &x, &order);
  uint64_t interleavings = whole.complete ? whole.interleavings : 0;
  if (whole.complete)
    count_switches(h, &whole.graph, out);
  vec_free(&x.bad);
  step_graph_free(&whole);
  if (hunt_prepare(h, c) == RT_DONE)
    run_outcomes(h, interleavings, out);
}

void hunt_census(struct hunt *h, const char *text, struct census *out) {
  struct client client = {0};
  if (hunt_read_client(h, text, &client) && hunt_prepare(h, &client) == RT_DONE)
    take(h, &client, out);
  client_free(&client);
}

/* ---- in the parent ---- */

/* Would anybody read it? */
static bool is_asked(const struct settings *set) {
  return set->json || set->html ||
         (!set->no_html && !set->no_save && !set->quiet);
}

/* Out of the worker's answer into memory that stays. */
static void take_over(struct arena *a, struct census *c) {
  c->lines = arena_copy(a, c->lines, c->nlines * sizeof *c->lines);
  for (uint32_t i = 0; i < c->nlines; i++)
    c->lines[i].file = arena_strdup(a, c->lines[i].file);
  c->outcomes.at =
      arena_copy(a, c->outcomes.at, c->outcomes.len * sizeof *c->outcomes.at);
  for (uint32_t i = 0; i < c->outcomes.len; i++) {
    struct outcome *o = &c->outcomes.at[i];
    struct value *from = o->results.at;
    o->results.at = arena_alloc(a, (o->results.len + 1) * sizeof *from);
    for (uint32_t k = 0; k < o->results.len; k++)
      value_copy(&o->results.at[k], from[k], a);
  }
}

void census(struct built *b, struct object_run *r, const struct target *t) {
  struct finding *f = r->result.finding;
  struct worker w = {0};
  if (!is_asked(t->settings) || !diagnose_has_states(b, f, t))
    return;
  if (diagnose_client(&w, r, t, DIAGNOSE_CENSUS, NULL) &&
      census_fits(&diagnose_answer(&w)->census, &f->client)) {
    f->census = diagnose_answer(&w)->census;
    take_over(&b->arena, &f->census);
  }
  worker_release(&w);
}
