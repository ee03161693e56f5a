/* PCT against its definition, its bound, fairness, bounded preemption. */
#include "sampled.h"

static void distributions(void *so) {
  engine_open(so, NULL);
  for (size_t i = 0; i < sizeof sampled_cases / sizeof *sampled_cases; i++)
    for (uint32_t d = 1; d <= 4; d++) {
      const struct sampled_case *c = &sampled_cases[i];
      struct sampled *s = sampled_new(c->client);
      s->skip = 1; /* the random walk that finds k */
      s->x.depth = d;
      s->x.max_executions = 20001;
      CHECK_INT(explore_pct(&s->x), EXPLORE_ALL);
      CHECK_INT(s->x.executions, 20001);
      sampled_compare(s, d, c->n, c->steps);
      sampled_free(s);
    }
}

TEST(schedules_are_as_likely_as_the_definition_says) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(distributions, so);
  free(so);
}

static void seeds(void *so) {
  engine_open(so, NULL);
  uint64_t hash[3][2], steps[2];
  for (int seed = 0; seed < 3; seed++)
    for (int again = 0; again < 2; again++) {
      struct sampled *s = sampled_new("{s3(); inc()} || {inc(); s2()}");
      s->x.seed = (uint64_t)seed;
      s->x.max_executions = 100;
      explore_pct(&s->x);
      hash[seed][again] = s->hash;
      steps[again] = s->x.steps;
      sampled_free(s);
    }
  for (int seed = 0; seed < 3; seed++)
    CHECK(hash[seed][0] == hash[seed][1]);
  CHECK(hash[0][0] != hash[1][0] && hash[1][0] != hash[2][0]);
  CHECK_INT(steps[0], steps[1]);
}

TEST(a_seed_gives_the_same_executions_again) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(seeds, so);
  free(so);
}

static bool lost_update(enum rt_end end) {
  return end == RT_DONE && sampled_last_result() == 1;
}
static bool stage_four(enum rt_end end) {
  return end == RT_DONE && sampled_last_result() == 4;
}

/* How many of the executions are bad; the bound in *bound. */
static uint64_t bad_of(const char *client, bool (*bad)(enum rt_end),
                       uint32_t depth, uint64_t seed, uint64_t executions,
                       double *bound) {
  struct sampled *s = sampled_new(client);
  s->bad = bad;
  s->x.depth = depth;
  s->x.seed = seed;
  s->x.max_executions = executions;
  CHECK_INT(explore_pct(&s->x), EXPLORE_ALL);
  uint64_t n = s->x.bad_count;
  *bound = s->x.bound;
  sampled_free(s);
  return n;
}

static double root(double x) {
  double r = 1;
  for (int i = 0; i < 40; i++)
    r = (r + x / r) / 2;
  return r;
}

static void bounds(void *so) {
  engine_open(so, NULL);
  uint64_t two = 0, three = 0;
  double bound, sum = 0;
  enum { SEEDS = 40, EACH = 2000 };
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    two +=
        bad_of("{inc()} || {inc()}; get()", lost_update, 2, seed, EACH, &bound);
    CHECK(bound > 0.124999 && bound < 0.125001); /* 1 / (2 * 4) */
  }
  CHECK(two >= SEEDS * EACH * bound);
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    three += bad_of("{s3(); left()} || {right(); s3()}; reached()", stage_four,
                    3, seed, EACH, &bound);
    sum += EACH * bound;
    /* at most 14 steps */
    CHECK(bound >= 1 / (2. * 14 * 14) && bound <= 1 / (2. * 10 * 10));
  }
  /* There is one place for each of the two change points, one order of their
   * priorities, and one of the threads': the bound is what is to be expected.
   */
  CHECK((double)three >= sum - 4 * root(sum));
  CHECK((double)three <= 2 * sum);
  /* Less than the bug's depth does not do, but for the first random walk. */
  three = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++)
    for (uint32_t depth = 1; depth <= 2; depth++) {
      uint64_t all = bad_of("{left()} || {right()}; reached()", stage_four,
                            depth, seed, EACH, &bound);
      uint64_t first = bad_of("{left()} || {right()}; reached()", stage_four,
                              depth, seed, 1, &bound);
      three += all - first;
    }
  CHECK_INT(three, 0);
}

TEST(bugs_are_met_as_often_as_promised) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(bounds, so);
  free(so);
}

/* The path that is kept leads to the same bad end. */
static void keeps(void *so) {
  engine_open(so, NULL);
  struct sampled *s =
      sampled_new("{s3(); left()} || {right(); s3()}; reached()");
  s->bad = stage_four;
  s->x.all = false;
  s->x.max_executions = 100000;
  CHECK_INT(explore_pct(&s->x), EXPLORE_BAD);
  CHECK_INT(s->x.bad_count, 1);
  struct replay r;
  replay_init(&r, s->x.bad.at, s->x.bad.len);
  CHECK_INT(rt_run(&r.driver), RT_DONE);
  CHECK(!r.diverged);
  CHECK_INT(sampled_last_result(), 4);
  replay_free(&r);
  sampled_free(s);
}

TEST(the_bad_path_can_be_replayed) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(keeps, so);
  free(so);
}

static void fairness(void *so) {
  static const char *const clients[] = {
      "{wait_counting()} || {s3(); set()}",
      "{wait_yielding()} || {s3(); set()}",
      "{wait_counting()} || {wait_yielding()} || {s3(); set()}"};
  struct rt_options o = {.max_steps = 5000};
  engine_open(so, &o);
  for (size_t i = 0; i < 3; i++) {
    struct sampled *s = sampled_new(clients[i]);
    s->x.max_executions = 300;
    explore_pct(&s->x);
    CHECK_INT(s->x.cut, 0);
    CHECK_INT(s->x.executions, 300);
    CHECK(s->longest > 40);    /* the one who waits was first now and then */
    CHECK(s->x.length < 1000); /* … and did not count as the usual length */
    sampled_free(s);
  }
}

TEST(who_waits_in_a_counting_loop_gives_way) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(fairness, so);
  free(so);
}

static void created(void *so) {
  engine_open(so, NULL);
  struct sampled *s = sampled_new("{spawn()} || {s1()}");
  s->x.max_executions = 2000;
  explore_pct(&s->x);
  CHECK_INT(s->x.threads, 3);
  CHECK_INT(s->x.executions, 2000);
  CHECK(s->preempted[0] && s->preempted[1]);
  sampled_free(s);
}

TEST(threads_that_the_code_creates_take_part) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(created, so);
  free(so);
}

static void preemptions(void *so) {
  engine_open(so, NULL);
  static const uint32_t estimate[] = {3, 3, 6};
  enum explore_end (*const how[])(struct explore *) = {
      explore_pct, explore_dpct, explore_pos};
  for (uint32_t bound = 0; bound < 3; bound++)
    for (size_t i = 0; i < 3; i++) {
      struct sampled *s = sampled_new("{s3()} || {s3()} || {s6()}");
      s->x.depth = 6;
      s->x.estimate = estimate;
      s->x.nestimates = 3;
      s->x.bound_preemptions = true;
      s->x.preemptions = bound;
      s->x.max_executions = 3000;
      CHECK_INT(how[i](&s->x), EXPLORE_ALL);
      for (uint32_t n = 0; n < 8; n++)
        CHECK_INT(s->preempted[n] != 0, n <= bound);
      sampled_free(s);
    }
}

TEST(preemptions_can_be_bounded) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(preemptions, so);
  free(so);
}

TEST_MAIN
