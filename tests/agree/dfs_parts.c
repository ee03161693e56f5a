/*
 * dfs in parts: a search that is cut, and its leftovers searched in their
 * order, cut again and again, runs the executions of the whole in its order.
 */
#include "engine_objects.h"

enum { CLIENTS = 6, MOST_EXECUTIONS = 8000, CUTTINGS = 3 };

struct run {
  uint64_t hash, executions;
};

static enum judgement ended(void *ctx, enum rt_end end) {
  struct run *r = ctx;
  struct engine_record record = {.history = *rt_history(), .end = end};
  uint64_t what[3] = {r->hash, history_digest(&record.history).lo,
                      engine_outcome(&record).lo};
  r->hash = hash64(what, sizeof what, 0);
  r->executions++;
  return JUDGE_GOOD;
}

struct cutting {
  struct run run;
  struct rng rng;
  double share; /* sum over the parts */
  uint32_t parts;
  bool learnt;
  uint32_t preemptions; /* UINT32_MAX: not bounded */
};

/* Searches what begins like `below`, in pieces of random sizes. */
static void search_part(struct cutting *c, const path *below) {
  struct leftover rest = {0};
  volatile double share = 0;
  struct explore x = {.judge = {ended, &c->run},
                      .max_executions = 1 + rng_below(&c->rng, 400),
                      .bound_preemptions = c->preemptions != UINT32_MAX,
                      .preemptions = c->preemptions,
                      .share = &share,
                      .below = below,
                      .leftover = &rest};
  enum explore_end end = explore_dfs(&x);
  c->parts++;
  c->share += share;
  c->learnt |= x.learnt;
  CHECK_INT(x.learnt, end == EXPLORE_STOPPED);
  CHECK(end == EXPLORE_ALL || end == EXPLORE_EXECUTIONS || x.learnt);
  CHECK_INT(end == EXPLORE_EXECUTIONS, rest.ends.len > 0);
  for (uint32_t i = 0; i < rest.ends.len && !c->learnt; i++) {
    uint32_t from = i ? rest.ends.at[i - 1] : 0;
    path p = {rest.bytes.at + from, rest.ends.at[i] - from, 0};
    search_part(c, &p);
  }
  leftover_free(&rest);
}

static bool compare(const struct client *client, struct rng *rng,
                    uint32_t *parts) {
  uint32_t preemptions =
      rng_below(rng, 2) ? UINT32_MAX : (uint32_t)rng_below(rng, 4);
  struct run whole = {0};
  struct explore x = {.judge = {ended, &whole},
                      .max_executions = MOST_EXECUTIONS,
                      .bound_preemptions = preemptions != UINT32_MAX,
                      .preemptions = preemptions};
  if (rt_prepare(engine.suite, client) != RT_DONE ||
      explore_dfs(&x) != EXPLORE_ALL)
    return true;
  whole = (struct run){0}; /* with what is known of shared stacks by now */
  x.executions = x.cut = 0;
  CHECK_INT(explore_dfs(&x), EXPLORE_ALL);
  bool ok = true;
  for (int i = 0; i < CUTTINGS && ok; i++) {
    struct cutting c = {.rng = {rng_next(rng)}, .preemptions = preemptions};
    path all = {0};
    search_part(&c, &all);
    ok = CHECK(!c.learnt) &
         CHECK_INT((long long)c.run.executions, (long long)whole.executions) &
         CHECK(c.run.hash == whole.hash) &
         CHECK(c.share > 0.999 && c.share < 1.001);
    *parts += c.parts;
  }
  if (!ok)
    fprintf(stderr, "  client %s\n", engine_text(client));
  return ok;
}

static void compare_object(void *arg) {
  struct engine_object *o = arg;
  engine_open(o->so, &o->options);
  struct rng rng = {5};
  struct gen_limits limits = {.threads = 3, .ops = 2, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  uint32_t parts = 0;
  for (uint32_t i = 0; i < CLIENTS && !test_errors; i++) {
    struct client c;
    uint32_t threads = 2 + (uint32_t)rng_below(&rng, 2);
    if (!generator_random(g, &rng, threads, threads == 2 ? 2 : 1, &c))
      break;
    compare(&c, &rng, &parts);
    client_free(&c);
  }
  CHECK(parts > 0);
  generator_free(g);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", o->name);
}

TEST(parts_make_the_whole) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, NULL);
    engine_child(compare_object, o);
    free(o->so);
  }
}

/* Who finds that a stack is shared in a part tells so, and stops; who knows it
 * from another process does not. */
static const char stacks_text[] =
    "#include <faultline.h>\n#include <stdatomic.h>\n"
    "static atomic_int flag;\nstatic int *_Atomic where;\n"
    "static int give(void) { int mine[200] = {0}; int *p = mine + 150;\n"
    "  atomic_store(&where, mine); p[0] = 1;\n"
    "  int v = p[0]; atomic_store(&where, 0); return v; }\n"
    "static int take(void) { int *p = atomic_load(&where);\n"
    "  return p ? p[150] : -1; }\n"
    "FL_OBJECT(stacks)\nFL_OP(int, give)\nFL_OP(int, take)\n";

static void stacks(void *so) {
  engine_open(so, NULL);
  struct client client = {0};
  engine_client(&client, "{give()} || {take()}");
  CHECK_INT(rt_prepare(engine.suite, &client), RT_DONE);
  struct run whole = {0};
  struct explore x = {.judge = {ended, &whole}};
  CHECK_INT(explore_dfs(&x), EXPLORE_ALL);
  whole = (struct run){0};
  CHECK_INT(explore_dfs(&x), EXPLORE_ALL);

  struct buf knowledge = {0};
  CHECK_INT(rt_prepare(engine.suite, &client), RT_DONE); /* forgets */
  path all = {0};
  uint32_t rounds = 0;
  for (bool again = true; again && rounds < 20; rounds++) {
    struct cutting c = {.rng = {rounds}, .preemptions = UINT32_MAX};
    search_part(&c, &all);
    again = c.learnt;
    buf_clear(&knowledge);
    rt_knowledge(&knowledge);
    CHECK_INT(rt_prepare(engine.suite, &client), RT_DONE);
    CHECK(rt_learn(&knowledge));
    if (!again) {
      CHECK_INT((long long)c.run.executions, (long long)whole.executions);
      CHECK(c.run.hash == whole.hash);
    }
  }
  CHECK(rounds > 1 && rounds < 20);
  knowledge.len--;
  CHECK(!rt_learn(&knowledge));
  buf_free(&knowledge);
  client_free(&client);
}

TEST(a_shared_stack_that_a_part_finds_is_told) {
  char *so = engine_build(stacks_text, "-O0");
  engine_child(stacks, so);
  free(so);
}

TEST_MAIN
