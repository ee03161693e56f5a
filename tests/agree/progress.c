/*
 * FL_PROGRESS on random graphs of states against its definition; and each way
 * that is found shows what it says.
 */
#include "oracle/progress.h"

#include "base/rng.h"
#include "model/event.h"
#include "test.h"

#include <stdlib.h>

enum { GRAPHS = 20000, CALLS = 3 };

/* Few circles: an edge leads back one time in `back`. */
static void draw(struct rng *r, struct steps *g) {
  uint32_t n = STEPS_ENDS + 1 + (uint32_t)rng_below(r, 9);
  uint32_t back = 1 + (uint32_t)rng_below(r, 12);
  bool bad = !rng_below(r, 6);
  *g = (struct steps){.nstates = n, .root = STEPS_ENDS};
  g->first = xcalloc(n + 1, sizeof *g->first);
  g->edges = xcalloc(n * 3, sizeof *g->edges);
  uint32_t edges = 0;
  for (uint32_t s = 0; s < n; s++) {
    g->first[s] = edges;
    for (uint32_t t = 1; s >= STEPS_ENDS && t <= 3; t++) {
      if (rng_below(r, 2))
        continue;
      uint32_t later = n - s - 1, to = STEPS_GOOD;
      if (!rng_below(r, back))
        to = STEPS_ENDS + (uint32_t)rng_below(r, s - STEPS_ENDS + 1);
      else if (later)
        to = s + 1 + (uint32_t)rng_below(r, later);
      else if (bad)
        to = STEPS_BAD;
      g->edges[edges++] = (struct step_edge){
          .to = to, .step = g->steps.len & 0x3ffffff, .thread = t & 63};
      vec_push(
          &g->steps,
          ((struct step){.thread = (uint8_t)t,
                         .kind = EV_WRITE,
                         .call = rng_below(r, 4) ? (uint32_t)rng_below(r, CALLS)
                                                 : EVENT_NO_CALL}));
    }
  }
  g->first[n] = edges;
  steps_check_invariants(g);
}

static const struct step *of(const struct steps *g, uint32_t e) {
  return &g->steps.at[g->edges[e].step];
}

static bool is_from(const struct steps *g, uint32_t e, uint32_t state) {
  return e >= g->first[state] && e < g->first[state + 1];
}

/* Is it a way from the root, at whose end the condition is broken? */
static bool is_proof(const struct steps *g, const struct progress_question *q,
                     const struct progress_fault *f) {
  uint32_t at = g->root, begin = f->edges.len - f->round, back = at;
  uint32_t made[CALLS] = {0};
  bool inside = false, long_call = false, one = true;
  for (uint32_t i = 0; i < f->edges.len; i++) {
    uint32_t e = f->edges.at[i], call = of(g, e)->call;
    if (!is_from(g, e, at))
      return false;
    back = i == begin ? at : back;
    at = g->edges[e].to;
    if (call < CALLS && !q->may_wait[call]) {
      inside |= i >= begin;
      long_call |= ++made[call] > q->steps;
    }
    one &=
        i < begin || g->edges[e].thread == g->edges[f->edges.at[begin]].thread;
  }
  if (at == STEPS_BAD)
    return !f->round;
  if (f->round)
    return at == back && inside &&
           (one || q->condition != FL_PROGRESS_obstruction_free);
  return long_call && q->condition == FL_PROGRESS_wait_free;
}

static void compare(enum fl_progress condition) {
  struct rng r = {7};
  uint32_t fails = 0, rounds = 0;
  for (uint32_t i = 0; i < GRAPHS && !test_errors; i++) {
    struct steps g;
    struct progress_fault f;
    draw(&r, &g);
    bool may_wait[CALLS];
    for (uint32_t c = 0; c < CALLS; c++)
      may_wait[c] = !rng_below(&r, 4);
    struct progress_question q = {condition, 1 + (uint32_t)rng_below(&r, 3),
                                  CALLS, may_wait};
    bool fast = progress_fails(&g, &q, &f);
    CHECK_INT(fast, progress_fails_slow(&g, &q));
    CHECK(!fast || is_proof(&g, &q, &f));
    if (test_errors)
      fprintf(stderr, "  graph %u\n", i);
    fails += fast;
    rounds += f.round != 0;
    progress_fault_free(&f);
    steps_free(&g);
  }
  CHECK(fails > GRAPHS / 20 && fails < GRAPHS / 20 * 19);
  CHECK(rounds > GRAPHS / 50);
}

TEST(lock_freedom_is_as_defined) { compare(FL_PROGRESS_lock_free); }
TEST(obstruction_freedom_is_as_defined) {
  compare(FL_PROGRESS_obstruction_free);
}
TEST(wait_freedom_is_as_defined) { compare(FL_PROGRESS_wait_free); }

TEST_MAIN
