/* Executions that switch behind a label: counted on the graph, and by walking
 * every path of it. */
#include "locate/switches.h"
#include "test.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 14, MOST_LABELS = 4, MOST_STEPS = 12 };

struct sample {
  struct steps g;
  uint32_t label[MOST_STEPS];
  uint32_t nlabels;
};

static uint32_t below(struct rng *seed, uint32_t n) {
  return (uint32_t)rng_below(seed, n);
}

static void add_steps(struct sample *s, struct rng *seed) {
  uint32_t n = 2 + below(seed, MOST_STEPS - 2);
  for (uint32_t i = 0; i < n; i++) {
    struct step x = {.flags = below(seed, 4) ? 0 : STEP_RETURNS};
    vec_push(&s->g.steps, x);
    s->label[i] = below(seed, s->nlabels + 1);
    if (s->label[i] == s->nlabels)
      s->label[i] = SWITCHES_NO_LABEL;
  }
}

/* Edges lead to higher states, or to an end: no circles; with `circle`, one of
 * the last state goes back to the root. */
static void make(struct sample *s, struct rng *seed, bool circle) {
  memset(s, 0, sizeof *s);
  s->nlabels = 1 + below(seed, MOST_LABELS);
  add_steps(s, seed);
  uint32_t n = STEPS_ENDS + 1 + below(seed, MOST_STATES - STEPS_ENDS);
  s->g.nstates = n;
  s->g.root = STEPS_ENDS;
  s->g.first = xcalloc(n + 1, sizeof *s->g.first);
  VEC(struct step_edge) edges = {0};
  for (uint32_t from = 0; from < n; from++) {
    s->g.first[from] = edges.len;
    uint32_t degree = from < STEPS_ENDS ? 0 : 1 + below(seed, 3);
    for (uint32_t t = 0; t < degree; t++) {
      uint32_t above = n - from - 1;
      bool ends = !above || !below(seed, 4);
      struct step_edge e = {.to = ends ? below(seed, STEPS_ENDS)
                                       : from + 1 + below(seed, above),
                            .step = below(seed, s->g.steps.len) & 0x3ffffff,
                            .thread = (t + 1) & 63};
      if (circle && from == s->g.root && !t)
        e.to = from;
      vec_push(&edges, e);
    }
  }
  s->g.first[n] = edges.len;
  s->g.edges = edges.at;
}

static bool switches(const struct sample *s, const struct step_edge *a,
                     const struct step_edge *b, uint32_t label) {
  return a->thread != b->thread && s->label[a->step] == label &&
         !(s->g.steps.at[a->step].flags & STEP_RETURNS);
}

struct walk {
  const struct sample *s;
  struct switch_count *out;
  const struct step_edge *way[MOST_STATES + 1];
};

static void end(struct walk *w, uint32_t len, uint32_t state) {
  for (uint32_t l = 0; l <= w->s->nlabels; l++) {
    bool there = l == w->s->nlabels; /* all of them */
    for (uint32_t i = 0; i + 1 < len; i++)
      there |= switches(w->s, w->way[i], w->way[i + 1], l);
    w->out[l].good += there && state == STEPS_GOOD;
    w->out[l].bad += there && state == STEPS_BAD;
  }
}

static void walk(struct walk *w, uint32_t state, uint32_t len) {
  const struct steps *g = &w->s->g;
  if (g->first[state] == g->first[state + 1])
    end(w, len, state);
  for (uint32_t e = g->first[state]; e < g->first[state + 1]; e++) {
    w->way[len] = &g->edges[e];
    walk(w, g->edges[e].to, len + 1);
  }
}

TEST(counts_what_walking_every_path_counts) {
  struct rng seed = {7};
  uint64_t switching = 0;
  for (int i = 0; i < 3000; i++) {
    struct sample s;
    struct switch_count slow[MOST_LABELS + 1] = {0}, fast[MOST_LABELS + 1];
    make(&s, &seed, false);
    struct walk w = {.s = &s, .out = slow};
    walk(&w, s.g.root, 0);
    CHECK(switches_count(&s.g, s.label, s.nlabels, fast));
    for (uint32_t l = 0; l <= s.nlabels; l++) {
      CHECK_INT(fast[l].good, slow[l].good);
      CHECK_INT(fast[l].bad, slow[l].bad);
      switching += l < s.nlabels && slow[l].bad;
    }
    steps_free(&s.g);
  }
  CHECK(switching > 1000);
}

TEST(does_not_count_where_executions_go_round) {
  struct rng seed = {8};
  for (int i = 0; i < 100; i++) {
    struct sample s;
    struct switch_count n[MOST_LABELS + 1];
    make(&s, &seed, true);
    CHECK(!switches_count(&s.g, s.label, s.nlabels, n));
    steps_free(&s.g);
  }
}

/* 70 states, each with two steps to the next: 2^70 executions. */
TEST(does_not_count_too_many) {
  enum { STATES = 70 };
  struct steps g = {.nstates = STEPS_ENDS + STATES, .root = STEPS_ENDS};
  uint32_t label[1] = {0};
  struct switch_count n[2];
  vec_push(&g.steps, ((struct step){0}));
  g.first = xcalloc(g.nstates + 1, sizeof *g.first);
  g.edges = xcalloc(2 * STATES, sizeof *g.edges);
  for (uint32_t i = 0; i < STATES; i++) {
    uint32_t s = STEPS_ENDS + i, to = i + 1 < STATES ? s + 1 : STEPS_GOOD;
    g.first[s] = 2 * i;
    for (uint32_t t = 0; t < 2; t++)
      g.edges[2 * i + t] = (struct step_edge){.to = to, .thread = t + 1};
  }
  g.first[g.nstates] = 2 * STATES;
  CHECK(!switches_count(&g, label, 1, n));
  steps_free(&g);
}

TEST_MAIN
