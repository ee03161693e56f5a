/*
 * The path that a search gives for a bad execution is that execution: followed
 * from the start without any reduction, it has the same outcome, and every
 * step of it can be made.
 */
#include "engine_objects.h"

enum { CLIENTS = 10, MOST_STATES = 10000, MOST_TARGETS = 25 };

struct hunt {
  struct hash128 outcome; /* what counts as bad */
  enum fault fault;
};

static struct hash128 outcome_now(enum rt_end end, enum fault *fault) {
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT)
    r.fault = rt_fault()->kind;
  *fault = r.fault;
  return engine_outcome(&r);
}

/* Of executions that a fault ended, only the kind of fault is compared. */
static bool is_wanted(const struct hunt *h, enum rt_end end) {
  enum fault fault;
  struct hash128 outcome = outcome_now(end, &fault);
  return h->fault ? fault == h->fault : hash128_equal(outcome, h->outcome);
}

static enum judgement ended(void *ctx, enum rt_end end) {
  return is_wanted(ctx, end) ? JUDGE_BAD : JUDGE_GOOD;
}

static bool follow(const struct hunt *h, path *p) {
  struct replay r;
  replay_init(&r, p->at, p->len);
  enum rt_end end = rt_run(&r.driver);
  bool ok =
      CHECK(is_wanted(h, end)) & CHECK(!r.diverged) & CHECK_INT(r.next, p->len);
  replay_free(&r);
  return ok;
}

static bool hunt_down(const struct client *c, struct hunt *h,
                      enum engine_search how) {
  struct explore x = {.judge = {ended, h},
                      .max_states = how == ENGINE_DFS ? 0 : MOST_STATES,
                      .max_executions = how == ENGINE_DFS ? MOST_STATES : 0,
                      .no_reduction = how == ENGINE_UNREDUCED};
  enum explore_end end =
      how == ENGINE_DFS ? explore_dfs(&x) : explore_stateful(&x);
  bool ok = true;
  if (end == EXPLORE_BAD)
    ok = follow(h, &x.bad);
  if (!ok)
    fprintf(stderr, "  search %d, client %s\n", how, engine_text(c));
  vec_free(&x.bad);
  return ok;
}

static uint32_t check_client(const struct client *c) {
  struct engine_found f;
  uint32_t targets = 0;
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return 0;
  engine_explore(&f, c, ENGINE_STATEFUL, MOST_STATES);
  for (uint32_t i = 0; i < f.at.len && targets < MOST_TARGETS; i++) {
    struct hunt h = {f.at.at[i].outcome, f.at.at[i].fault};
    targets++;
    if (!hunt_down(c, &h, ENGINE_STATEFUL) ||
        !hunt_down(c, &h, ENGINE_UNREDUCED) || !hunt_down(c, &h, ENGINE_DFS))
      break;
  }
  engine_free(&f);
  return targets;
}

static void check_object(void *arg) {
  struct engine_object *o = arg;
  engine_open(o->so, &o->options);
  struct rng rng = {23};
  struct gen_limits limits = {.threads = 3, .ops = 2, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  uint32_t targets = 0;
  for (uint32_t i = 0; i < CLIENTS && !test_errors; i++) {
    struct client c;
    uint32_t threads = 2 + (uint32_t)rng_below(&rng, 2);
    if (!generator_random(g, &rng, threads, threads == 2 ? 2 : 1, &c))
      break;
    targets += check_client(&c);
    client_free(&c);
  }
  CHECK(targets > 0);
  generator_free(g);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", o->name);
}

TEST(a_bad_path_is_the_bad_execution) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, NULL);
    engine_child(check_object, o);
    free(o->so);
  }
}

TEST_MAIN
