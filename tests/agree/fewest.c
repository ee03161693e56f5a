/*
 * What the graph of states tells, against all interleavings: how many there
 * are, and the fewest switches of a bad one, with the reduction and without.
 * Bounded preemptions, against all interleavings with at most so many.  What a
 * search has found when its time is over.
 */
#include "engine_inputs.h"

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 4, PROGRAMS = 3 };
#else
enum { CLIENTS = 6, PROGRAMS = 8 };
#endif
enum { MOST_EXECUTIONS = 8000, MOST_PREEMPTIONS = 4, MOST_CLIENTS = 20 };

static struct live_path live;

struct seen {
  uint64_t bad_class;     /* which outcomes are bad */
  uint64_t bad;           /* executions that are */
  struct map128 outcomes; /* to the fewest preemptions + 1 */
  uint32_t switches;      /* of a bad one, the fewest; UINT32_MAX: none */
  uint64_t within[MOST_PREEMPTIONS]; /* executions with at most so many */
  bool measure;
};

static struct hash128 outcome_now(enum rt_end end) {
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT) {
    uint64_t fault = rt_fault()->kind; /* what was going on is not compared */
    return hash128(&fault, sizeof fault, 1);
  }
  return engine_outcome(&r);
}

/* The path of the execution, with all its steps, and its preemptions. */
struct measure {
  struct replay r;
  path full;
  uint32_t preemptions;
};

static int measure_pick(void *ctx, uint32_t enabled, int current) {
  struct measure *m = ctx;
  int t = enabled & (enabled - 1)
              ? m->r.driver.pick(m->r.driver.ctx, enabled, current)
              : __builtin_ctz(enabled);
  m->preemptions += t != current && enabled >> current & 1;
  vec_push(&m->full, (uint8_t)t);
  return t;
}

static int measure_choose(void *ctx, int n) {
  struct measure *m = ctx;
  return m->r.driver.choose(m->r.driver.ctx, n);
}

static void note_preemptions(struct seen *s, struct hash128 o, uint32_t n) {
  bool fresh;
  uint32_t *least = map128_put(&s->outcomes, o, &fresh);
  if (fresh || n + 1 < *least)
    *least = n + 1;
  for (uint32_t k = n; k < MOST_PREEMPTIONS; k++)
    s->within[k]++;
}

static enum judgement ended(void *ctx, enum rt_end end) {
  struct seen *s = ctx;
  struct hash128 o = outcome_now(end);
  bool bad = o.lo % 3 == s->bad_class;
  if (!s->measure) {
    note_preemptions(s, o, 0);
    return bad ? JUDGE_BAD : JUDGE_GOOD;
  }
  struct measure m = {0};
  replay_init(&m.r, live.at, live.len);
  struct rt_driver driver = {measure_pick, measure_choose, &m, .every = true};
  rt_run(&driver);
  note_preemptions(s, o, m.preemptions);
  uint32_t switches = path_switches(m.full.at, m.full.len);
  s->bad += bad;
  if (bad && switches < s->switches)
    s->switches = switches;
  replay_free(&m.r);
  vec_free(&m.full);
  live.len = 0;
  return JUDGE_GOOD;
}

/* Every outcome of `a` that needs at most `most` preemptions is in `b`. */
static bool within(const struct seen *a, uint32_t most, const struct seen *b) {
  for (uint32_t i = 0; i < a->outcomes.cap; i++) {
    const struct map128_slot *slot = &a->outcomes.slots[i];
    if (slot->epoch == a->outcomes.epoch && slot->value <= most + 1 &&
        !map128_get(&b->outcomes, slot->key))
      return false;
  }
  return true;
}

static void release(struct seen *s) { map128_free(&s->outcomes); }

static bool check_bad_path(const struct explore *x, const struct seen *s) {
  struct replay r;
  replay_init(&r, x->bad.at, x->bad.len);
  struct hash128 o = outcome_now(rt_run(&r.driver));
  bool ok = CHECK(o.lo % 3 == s->bad_class) & CHECK(!r.diverged);
  replay_free(&r);
  return ok;
}

static bool compare_fewest(const struct seen *all, uint64_t executions,
                           bool no_reduction) {
  struct seen s = {.bad_class = all->bad_class};
  struct explore x = {.judge = {ended, &s},
                      .no_reduction = no_reduction,
                      .all = true,
                      .graph = true};
  bool ok = CHECK_INT(explore_stateful(&x), EXPLORE_ALL);
  if (no_reduction) {
    ok &= CHECK_INT((long long)x.interleavings, (long long)executions);
    ok &= CHECK_INT((long long)x.bad_interleavings, (long long)all->bad);
  }
  ok &= CHECK_INT(x.circles, 0);
  ok &= CHECK_INT(x.bad_count > 0, all->switches != UINT32_MAX);
  if (x.bad_count && ok)
    ok &= CHECK_INT(x.bad_switches, all->switches) & check_bad_path(&x, all);
  vec_free(&x.bad);
  release(&s);
  return ok;
}

/* A search that has no time for the graph has a bad path all the same. */
static bool check_late(const struct seen *all) {
  struct seen s = {.bad_class = all->bad_class};
  struct explore x = {.judge = {ended, &s},
                      .deadline = 1e-9,
                      .all = true,
                      .graph = true};
  enum explore_end end = explore_stateful(&x);
  bool ok = CHECK(end == EXPLORE_TIME || x.transitions < 64);
  if (end == EXPLORE_TIME && x.bad_count)
    ok &= check_bad_path(&x, all);
  vec_free(&x.bad);
  release(&s);
  return ok;
}

static bool compare_bounded(const struct seen *all, uint32_t k) {
  struct seen dfs = {0}, plain = {0}, reduced = {0};
  struct explore x = {.judge = {ended, &dfs},
                      .bound_preemptions = true,
                      .preemptions = k,
                      .all = true};
  bool ok = CHECK_INT(explore_dfs(&x), EXPLORE_ALL);
  ok &= CHECK_INT((long long)x.executions, (long long)all->within[k]);
  vec_free(&x.bad);
  x = (struct explore){.judge = {ended, &plain},
                       .bound_preemptions = true,
                       .preemptions = k,
                       .all = true,
                       .graph = true,
                       .no_reduction = true};
  ok &= CHECK_INT(explore_stateful(&x), EXPLORE_ALL);
  ok &= CHECK_INT((long long)x.interleavings, (long long)all->within[k]);
  vec_free(&x.bad);
  x = (struct explore){.judge = {ended, &reduced},
                       .bound_preemptions = true,
                       .preemptions = k,
                       .all = true};
  ok &= CHECK_INT(explore_stateful(&x), EXPLORE_ALL);
  vec_free(&x.bad);
  ok &= CHECK(within(all, k, &dfs)) & CHECK(within(all, k, &plain)) &
        CHECK(within(all, k, &reduced));
  ok &= CHECK(within(&dfs, k, &plain)) & CHECK(within(&plain, k, &dfs));
  ok &= CHECK(within(&reduced, k, &dfs));
  release(&dfs);
  release(&plain);
  release(&reduced);
  return ok;
}

static bool compare(const struct client *c, uint64_t class,
                    uint32_t *compared) {
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return true;
  struct seen all = {
      .bad_class = class, .switches = UINT32_MAX, .measure = true};
  struct explore x = {.judge = {ended, &all},
                      .max_executions = MOST_EXECUTIONS,
                      .live = &live,
                      .all = true};
  bool ok = true;
  if (explore_dfs(&x) == EXPLORE_ALL && !x.cut) {
    ++*compared;
    ok &= compare_fewest(&all, x.executions, true) &
          compare_fewest(&all, x.executions, false) & check_late(&all);
    for (uint32_t k = 0; k < MOST_PREEMPTIONS; k++)
      ok &= compare_bounded(&all, k);
  }
  if (!ok)
    fprintf(stderr, "  client %s, class %d\n", engine_text(c), (int)class);
  release(&all);
  return ok;
}

static void compare_random(uint64_t seed) {
  struct engine_draw d = engine_draw_begin(seed, 2, 3, 2);
  uint32_t compared = 0;
  /* Some have too many executions to be compared. */
  uint32_t most = CLIENTS;
  for (uint32_t i = 0; i < most && !test_errors && engine_draw(&d); i++) {
    compare(&d.client, rng_below(&d.rng, 3), &compared);
    if (!compared && most < MOST_CLIENTS)
      most++;
  }
  CHECK(compared > 0);
  engine_draw_end(&d);
}

static void compare_object(const struct engine_object *o) {
  (void)o;
  compare_random(11);
}

TEST(graphs_agree_with_dfs_on_objects) {
  engine_each_object("-O1", compare_object);
}

TEST(graphs_agree_with_dfs_on_random_programs) {
  engine_each_program(
      &(struct engine_programs){.count = PROGRAMS, .compare = compare_random});
}

TEST_MAIN
