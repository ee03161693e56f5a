/*
 * Executions of all examples under random schedules: the same path gives the
 * same trace (R1), what the engine stamps as history is what the trace says,
 * and a snapshot in the middle goes on as the execution did.
 */
#include "engine.h"
#include "oracle/history.h"

#include <glob.h>

enum { CLIENTS = 25, RUNS = 4 };

struct walk {
  struct rng rng;
  path taken;
};

static int walk_pick(void *ctx, uint32_t enabled, int current) {
  struct walk *w = ctx;
  (void)current;
  uint64_t k = rng_below(&w->rng, (uint64_t)__builtin_popcount(enabled));
  while (k--)
    enabled &= enabled - 1;
  int t = __builtin_ctz(enabled);
  vec_push(&w->taken, (uint8_t)t);
  return t;
}

static int walk_choose(void *ctx, int n) {
  struct walk *w = ctx;
  int k = (int)rng_below(&w->rng, (uint64_t)n);
  vec_push(&w->taken, (uint8_t)(PATH_CHOICE | k));
  return k;
}

static bool same_event(const struct event *a, const struct event *b) {
  struct event x = *a, y = *b;
  if (x.kind == EV_RETURN && x.value[1] == VALUE_STRING)
    x.value[0] = y.value[0] = 0; /* the address of a text */
  return !memcmp(&x, &y, sizeof x);
}

static void check_same_trace(const struct trace *a, const struct trace *b) {
  CHECK_INT(a->nevents, b->nevents);
  for (uint32_t i = 0; i < a->nevents && i < b->nevents; i++)
    if (!CHECK(same_event(&a->events[i], &b->events[i]))) {
      fprintf(stderr, "  event %u: %s and %s\n", i,
              event_word[a->events[i].kind], event_word[b->events[i].kind]);
      return;
    }
  CHECK_INT(a->nblocks, b->nblocks);
  for (uint32_t i = 0; i < a->nblocks && i < b->nblocks; i++)
    CHECK(!memcmp(&a->blocks[i], &b->blocks[i], sizeof *a->blocks));
  CHECK(history_equal(&a->history, &b->history));
}

static void check_history(const struct trace *t, struct arena *a) {
  struct history h;
  uint32_t call = 0;
  history_check_invariants(&t->history);
  CHECK(history_from_trace(t, a, &h));
  CHECK(history_equal(&h, &t->history));
  if (!CHECK(trace_is_tight(t, &call)))
    fprintf(stderr, "  call %u\n", call);
}

static void check_run(struct walk *w) {
  struct arena a = {0};
  struct trace first, second;
  vec_clear(&w->taken);
  struct rt_driver random = {walk_pick, walk_choose, w, .every = true};
  enum rt_end end = rt_run_recorded(&random, &a, &first);
  check_history(&first, &a);
  uint32_t steps = rt_steps();
  struct hash128 digest = history_digest(rt_history());

  struct replay r;
  replay_init(&r, w->taken.at, w->taken.len);
  CHECK_INT(rt_run_recorded(&r.driver, &a, &second), end);
  CHECK(!r.diverged);
  CHECK_INT(r.next, w->taken.len);
  check_same_trace(&first, &second);
  replay_free(&r);

  /* A run that is not recorded makes the same steps. */
  replay_init(&r, w->taken.at, w->taken.len);
  CHECK_INT(rt_run(&r.driver), end);
  CHECK(!r.diverged);
  CHECK_INT(rt_steps(), steps);
  CHECK(hash128_equal(history_digest(rt_history()), digest));
  replay_free(&r);
  arena_free(&a);
}

struct ending {
  enum rt_end end;
  uint32_t steps;
  struct hash128 way;   /* who could step, step by step */
  struct hash128 state; /* at the end */
  struct hash128 digest;
};

/*
 * Steps to the end, always the last enabled thread.  States on the way are not
 * compared: stacks have dead bytes, left over from whatever ran there before.
 */
static struct ending finish(void) {
  struct ending e = {.end = RT_STOPPED};
  for (uint32_t on; e.end == RT_STOPPED && (on = rt_enabled()); e.steps++) {
    e.way = hash128_join(e.way, hash128(&on, sizeof on, 0));
    e.end = rt_step(31 - __builtin_clz(on), NULL);
  }
  e.state = rt_hash(true);
  e.digest = history_digest(rt_history());
  return e;
}

static void check_same_ending(const struct ending *a, const struct ending *b) {
  CHECK_INT(a->end, b->end);
  CHECK_INT(a->steps, b->steps);
  CHECK(hash128_equal(a->way, b->way));
  CHECK(hash128_equal(a->digest, b->digest));
  if (a->end == RT_DONE)
    CHECK(hash128_equal(a->state, b->state));
}

static void check_snapshot(struct walk *w) {
  if (rt_begin(NULL) != RT_STOPPED)
    return;
  enum rt_end end = RT_STOPPED;
  for (uint64_t n = rng_below(&w->rng, 12);
       n-- && end == RT_STOPPED && rt_enabled();)
    end = rt_step(walk_pick(w, rt_enabled(), 0), NULL);
  if (end != RT_STOPPED || !rt_enabled())
    return;
  struct snapshot s = {0};
  rt_save(&s);
  struct hash128 here = rt_hash(true);
  struct ending first = finish();
  rt_restore(&s);
  CHECK(hash128_equal(rt_hash(true), here));
  struct ending second = finish();
  check_same_ending(&first, &second);
  /* From another execution's end as well. */
  struct rt_driver random = {walk_pick, walk_choose, w, .every = true};
  rt_run(&random);
  rt_restore(&s);
  CHECK(hash128_equal(rt_hash(true), here));
  struct ending third = finish();
  check_same_ending(&first, &third);
  snapshot_free(&s);
}

static void check_object(void *so) {
  engine_open(so, NULL);
  struct walk w = {.rng = {11}};
  struct gen_limits limits = {.threads = 3, .ops = 3, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  uint32_t runs = 0;
  for (uint32_t i = 0; i < CLIENTS && !test_errors; i++) {
    struct client c, whole;
    if (!generator_random(g, &w.rng, 2 + (i & 1), 1 + i % 3, &c))
      break;
    generate_final(&engine.object, &c, &whole);
    if (rt_prepare(engine.suite, &whole) == RT_DONE)
      for (uint32_t k = 0; k < RUNS && !test_errors; k++, runs++) {
        check_run(&w);
        check_snapshot(&w);
      }
    if (test_errors)
      fprintf(stderr, "  client %s\n", engine_text(&whole));
    client_free(&c);
    client_free(&whole);
  }
  CHECK(runs >= CLIENTS);
  generator_free(g);
  vec_free(&w.taken);
}

TEST(every_example_runs_the_same_twice) {
  const char *root = getenv("SOURCE_DIR");
  if (!CHECK(root))
    return;
  char *pattern = xasprintf("%s/examples/*.c*", root);
  glob_t files = {0};
  CHECK_INT(glob(pattern, 0, NULL, &files), 0);
  CHECK(files.gl_pathc >= 10);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    char *so = engine_build_file(files.gl_pathv[i], NULL);
    unsigned before = test_errors;
    engine_child(check_object, so);
    if (test_errors != before)
      fprintf(stderr, "  in %s\n", files.gl_pathv[i]);
    free(so);
  }
  globfree(&files);
  free(pattern);
}

/* Kinds of steps that the examples do not have. */
TEST(so_does_an_object_with_threads_of_its_own) {
  char *so = engine_build(
      "#include <faultline.h>\n"
      "#include <pthread.h>\n"
      "#include <stdatomic.h>\n"
      "#include <stdlib.h>\n"
      "static atomic_int n;\n"
      "static _Thread_local int mine;\n"
      "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
      "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
      "static int ready;\n"
      "static void *body(void *p) { mine = 3; atomic_fetch_add(&n, mine);\n"
      "  pthread_mutex_lock(&m); ready = 1; pthread_cond_broadcast(&c);\n"
      "  pthread_mutex_unlock(&m); free(p); return 0; }\n"
      "static int run(void) { pthread_t t; ready = 0;\n"
      "  pthread_create(&t, 0, body, malloc(5));\n"
      "  pthread_mutex_lock(&m);\n"
      "  while (!ready) pthread_cond_wait(&c, &m);\n"
      "  pthread_mutex_unlock(&m);\n"
      "  pthread_join(t, 0); return ++mine + atomic_load(&n); }\n"
      "static const char *name(void) {\n"
      "  return atomic_load(&n) ? \"some\" : \"none\"; }\n"
      "static int nothing(void) { return 4; }\n"
      "FL_OBJECT(runner)\nFL_OP(int, run)\nFL_OP(const char *, name)\n"
      "FL_OP(int, nothing)\n",
      NULL);
  engine_child(check_object, so);
  free(so);
}

/* ---- hashes ---- */

static const char cells_text[] =
    "#include <faultline.h>\n"
    "static volatile long cell[4];\n"
    "static void twice(int k) { cell[k] = 1; cell[k] = 2; }\n"
    "static void once(int k) { cell[k] = 1; }\n"
    "static void put(int k, int v) { cell[k] = v; cell[k + 1] = v; }\n"
    "FL_OBJECT(cells)\nFL_OP(void, twice, FL_INT(0, 3))\n"
    "FL_OP(void, once, FL_INT(0, 3))\n"
    "FL_OP(void, put, FL_INT(0, 2), FL_INT(1, 2))\n";

static struct hash128 after(const char *steps, bool with_history) {
  CHECK_INT(rt_begin(NULL), RT_STOPPED);
  for (; *steps; steps++)
    rt_step(*steps - '0', NULL);
  return rt_hash(with_history);
}

static bool same(const char *client, const char *a, const char *b,
                 bool with_history) {
  struct client c = {0};
  engine_client(&c, client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  bool equal = hash128_equal(after(a, with_history), after(b, with_history));
  client_free(&c);
  return equal;
}

static void hashes(void *so) {
  engine_open(so, NULL);
  /* In the middle of calls the order of independent steps is forgotten. */
  CHECK(same("{twice(0)} || {twice(1)}", "12", "21", true));
  CHECK(same("{twice(0)} || {twice(1)} || {twice(2)}", "123", "312", true));
  CHECK(!same("{twice(0)} || {twice(1)}", "1", "2", true));
  CHECK(!same("{twice(0)} || {twice(1)}", "12", "1", true));
  /* Dependent steps leave different memory. */
  CHECK(!same("{put(0, 1)} || {put(0, 2)}", "12", "21", true));
  /* Which call was over when the other began: history, not memory. */
  const char *c = "{once(0); once(0)} || {once(1); once(1)}";
  CHECK(!same(c, "12", "21", true));
  CHECK(same(c, "12", "21", false));
}

TEST(a_hash_knows_states_and_not_the_way_there) {
  char *so = engine_build(cells_text, NULL);
  engine_child(hashes, so);
  free(so);
}

TEST_MAIN
