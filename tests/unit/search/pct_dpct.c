/*
 * D-PCT: with exact estimates it is PCT, with wrong ones change points still
 * fall everywhere; the rest is estimated as the header says; trees of compiled
 * functions estimate what the engine then counts.
 */
#include "sampled.h"

#include "code/flow.h"
#include "search/dpct.h"

/* ---- the rest ---- */

static uint64_t returned; /* mask of calls */
static bool is_done(uint32_t call) { return returned >> call & 1; }

TEST(the_rest_follows_the_calls) {
  struct call in_1 = {.thread = 1}, in_2 = {.thread = 2};
  struct client c = {0};
  client_add_init(&c, (struct call){0}); /* 0: not part of it */
  client_add(&c, 1, in_1);               /* 1 */
  client_add(&c, 1, in_1);               /* 2 */
  client_add(&c, 2, in_2);               /* 3 */
  client_add_final(&c, (struct call){0});
  static const uint32_t estimate[] = {100, 4, 3, 0, 100};
  struct remaining r;
  returned = 1;
  remaining_begin(&r, &c, estimate);
  CHECK_INT(r.steps, 4 + 3 + 1); /* a call is a step at least */
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 3 + 3 + 1);
  remaining_step(&r, 1, is_done);
  returned |= 1 << 1; /* after three steps instead of four */
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 3 + 1);
  for (int i = 0; i < 2; i++)
    remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 1 + 1);
  remaining_step(&r, 1, is_done); /* not done: once more */
  CHECK_INT(r.steps, 3 + 1);
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 2 + 1);
  remaining_step(&r, 2, is_done);
  CHECK_INT(r.steps, 2 + 1);
  returned |= 1 << 3;
  remaining_step(&r, 2, is_done);
  CHECK_INT(r.steps, 2);
  remaining_step(&r, 5, is_done); /* a thread of the object's own */
  CHECK_INT(r.steps, 2);
  returned |= 1 << 2;
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 0);
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 0);
  client_free(&c);
}

TEST(calls_that_end_in_one_step_leave_no_rest) {
  struct call in_1 = {.thread = 1};
  struct client c = {0};
  for (int i = 0; i < 4; i++)
    client_add(&c, 1, in_1);
  static const uint32_t estimate[] = {5, 6, 7, 8};
  struct remaining r;
  returned = 0;
  remaining_begin(&r, &c, estimate);
  CHECK_INT(r.steps, 26);
  returned = 7;
  remaining_step(&r, 1, is_done);
  CHECK_INT(r.steps, 8);
  client_free(&c);
}

/* ---- schedules ---- */

static void distributions(void *so) {
  static const uint32_t estimates[][4] = {
      {2, 3}, {2, 1, 1, 1}, {2, 2, 1}, {3, 1, 3}};
  engine_open(so, NULL);
  for (size_t i = 0; i < sizeof sampled_cases / sizeof *sampled_cases; i++)
    for (uint32_t d = 1; d <= 4; d++) {
      const struct sampled_case *c = &sampled_cases[i];
      struct sampled *s = sampled_new(c->client);
      s->x.depth = d;
      s->x.max_executions = 20000;
      s->x.estimate = estimates[i];
      s->x.nestimates = s->client.ncalls;
      CHECK_INT(explore_dpct(&s->x), EXPLORE_ALL);
      sampled_compare(s, d, c->n, c->steps);
      uint64_t k = 0;
      double bound = 1. / c->n;
      for (uint32_t t = 0; t < c->n; t++)
        k += c->steps[t];
      for (uint32_t n = 1; n < d; n++)
        bound /= (double)k;
      CHECK_INT(s->x.length, k);
      CHECK(s->x.bound > 0.999 * bound && s->x.bound < 1.001 * bound);
      sampled_free(s);
    }
}

TEST(with_exact_estimates_it_is_pct) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(distributions, so);
  free(so);
}

/* Where depth 2 leaves a thread, for an estimate of each call of six steps. */
static uint64_t left_at(uint32_t estimate, uint64_t out[13]) {
  struct sampled *s = sampled_new("{s6()} || {s6()}");
  const uint32_t both[] = {estimate, estimate};
  s->x.depth = 2;
  s->x.max_executions = 6000;
  s->x.estimate = both;
  s->x.nestimates = 2;
  CHECK_INT(explore_dpct(&s->x), EXPLORE_ALL);
  uint64_t n = 0;
  for (uint32_t i = 0; i < 13; i++)
    n += out[i] = s->left_at[i];
  CHECK_INT(s->longest, 12);
  CHECK_INT(s->x.bound > 0, estimate >= 6); /* else nothing is promised */
  sampled_free(s);
  return n;
}

static void wrong(void *so) {
  engine_open(so, NULL);
  uint64_t at[13], exact = left_at(6, at);
  for (uint32_t i = 1; i < 6; i++)
    CHECK(at[i] > 350 && at[i] < 650); /* 6000 / 12 each: uniform */
  for (uint32_t i = 6; i < 13; i++)
    CHECK_INT(at[i], 0); /* the other thread has no more to do */
  left_at(1, at);
  for (uint32_t i = 1; i < 6; i++)
    CHECK(at[i] > 60); /* a fixed estimate of 2 would end at step 2 */
  CHECK(at[1] > at[5]);
  uint64_t much = left_at(60, at);
  for (uint32_t i = 1; i < 6; i++)
    CHECK(at[i] > 20 && at[i] < 100); /* 6000 / 120 each */
  CHECK(5 * much < exact);
}

TEST(wrong_estimates_leave_no_step_out) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(wrong, so);
  free(so);
}

/* A call that turns out short gives its change points to the others. */
static void shorter(void *so) {
  engine_open(so, NULL);
  struct sampled *s = sampled_new("{maybe(); s6()} || {s1()}");
  static const uint32_t estimate[] = {1000, 6, 1};
  s->x.depth = 2;
  s->x.max_executions = 6000;
  s->x.estimate = estimate;
  s->x.nestimates = 3;
  CHECK_INT(explore_dpct(&s->x), EXPLORE_ALL);
  uint64_t n = 0;
  for (uint32_t i = 0; i < 64; i++)
    n += s->left_at[i];
  /* Thread 1 first: half; then its five inner steps of eight places. */
  CHECK(n > 6000 / 2 / 2);
  sampled_free(s);
}

TEST(calls_that_end_early_do_not_lose_change_points) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(shorter, so);
  free(so);
}

static void seeds(void *so) {
  engine_open(so, NULL);
  uint64_t hash[4];
  static const uint32_t estimate[] = {3, 3, 3, 3};
  for (int i = 0; i < 4; i++) {
    struct sampled *s = sampled_new("{s3(); inc()} || {inc(); s2()}");
    s->x.seed = (uint64_t)i / 2;
    s->x.estimate = estimate;
    s->x.nestimates = 4;
    s->x.max_executions = 100;
    explore_dpct(&s->x);
    hash[i] = s->hash;
    sampled_free(s);
  }
  CHECK(hash[0] == hash[1] && hash[2] == hash[3] && hash[0] != hash[2]);
}

TEST(a_seed_gives_the_same_executions_again) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(seeds, so);
  free(so);
}

/* ---- estimates from trees ---- */

/* Operations without a loop, run alone: as many steps as the tree says. */
static void trees(void *so) {
  struct error e = {0};
  struct lines *l = lines_open(so, &e);
  struct flow *f = l ? flow_open(l, &e) : NULL;
  if (!CHECK(f != NULL))
    return;
  engine_open(so, NULL);
  static const char *const ops[] = {"s0",  "s1",  "s2",     "s3",  "inc",
                                    "get", "set", "locked", "soon"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    struct flow_tree t;
    char client[64];
    const struct fl_op *op = engine.suite->ops;
    while (op && strcmp(op->name, ops[i]))
      op = op->next;
    uint64_t entry = (uint64_t)(uintptr_t)op->function - rt_base();
    CHECK_INT((long long)entry, (long long)flow_find(f, ops[i]));
    if (!CHECK(flow_tree_of(f, entry, &t)))
      continue;
    snprintf(client, sizeof client, "{%s()}", ops[i]);
    struct sampled *s = sampled_new(client);
    s->x.max_executions = 1;
    explore_pct(&s->x);
    uint32_t estimate = flow_sum(&t, FLOW_THETA);
    if (!CHECK_INT(s->longest, estimate ? estimate : 1))
      fprintf(stderr, "  %s\n", ops[i]);
    sampled_free(s);
    flow_tree_free(&t);
  }
  flow_close(f);
  lines_close(l);
}

TEST(trees_estimate_what_the_engine_counts) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(trees, so);
  free(so);
}

TEST_MAIN
