/*
 * FL_ALWAYS under the searches, against all interleavings: a state that one of
 * them shows to the function, all show.  The functions tell one state from all
 * others: `forbid(k)`, an initial call, says which.
 */
#include "engine_inputs.h"

enum { CLIENTS = 12, FORBIDDEN = 10, MOST_EXECUTIONS = 20000 };

static const char object[] =
    "#include <faultline.h>\n#include <pthread.h>\n#include <stdbool.h>\n"
    "static int x, y, forbidden = -1, own[8], threads;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void *enter(void *o) { return (void)o, &own[threads++]; }\n"
    "static void forbid(int k) { forbidden = k; }\n"
    "static void both(void) { x = 1; y = 1; x = 0; }\n"
    "static void copy(void) { y = x + 1; }\n"
    /* Nobody but the function sees the first and the last access. */
    "static void mine(void) { int *p = fl_thread(); *p = 1; x ^= 1; *p = 2; }\n"
    "static void alone(void) { int *p = fl_thread(); *p = 3; }\n"
    "static void locked(void) { pthread_mutex_lock(&m); x = 2; y = 2;"
    " pthread_mutex_unlock(&m); }\n"
    "static int look(void) { return x; }\n"
    "static bool is_another(void) { return ((x & 3) | (y & 3) << 2 |"
    " (own[1] & 3) << 4) != forbidden; }\n"
    "FL_OBJECT(o)\nFL_THREAD(enter)\nFL_OP(void, forbid, FL_INT(0, 63))\n"
    "FL_OP(void, both)\nFL_OP(void, copy)\nFL_OP(void, mine)\n"
    "FL_OP(void, alone)\nFL_OP(void, locked)\nFL_OP(int, look)\n";

static enum judgement ended(void *ctx, enum rt_end end) {
  (void)ctx;
  return end == RT_FAULT && rt_fault()->kind == FAULT_INVARIANT ? JUDGE_BAD
                                                                : JUDGE_GOOD;
}

static struct explore new_search(void) {
  return (struct explore){.judge = {.ended = ended},
                          .max_executions = MOST_EXECUTIONS};
}

struct agreement {
  uint32_t compared, found;
};

static const char *const op_names[] = {"both()",  "copy()",   "mine()",
                                       "alone()", "locked()", "look()"};

static void put_thread(struct rng *r, uint32_t calls, struct buf *text) {
  buf_puts(text, "{");
  for (uint32_t i = 0; i < calls; i++)
    buf_printf(text, "%s%s", i ? "; " : "", op_names[rng_below(r, 6)]);
  buf_puts(text, "}");
}

static bool is_met(const struct client *c,
                   enum explore_end (*search)(struct explore *),
                   void (*set)(struct explore *), bool *complete) {
  struct explore x = new_search();
  if (set)
    set(&x);
  CHECK_INT(rt_prepare(engine.suite, c), RT_DONE);
  enum explore_end end = search(&x);
  *complete = end == EXPLORE_ALL || end == EXPLORE_BAD;
  vec_free(&x.bad);
  return end == EXPLORE_BAD;
}

static void no_reduction(struct explore *x) { x->no_reduction = true; }
static void guards(struct explore *x) { x->guards = true; }
static void few(struct explore *x) { x->max_executions = 30; }

static void compare(const char *text, struct agreement *sum) {
  struct client c = {0};
  bool complete;
  engine_client(&c, text);
  bool met = is_met(&c, explore_dfs, NULL, &complete);
  if (complete) {
    CHECK_INT(is_met(&c, explore_stateful, no_reduction, &complete), met);
    CHECK_INT(is_met(&c, explore_stateful, NULL, &complete), met);
    CHECK_INT(is_met(&c, explore_stateful, guards, &complete), met);
    CHECK(!is_met(&c, explore_random, few, &complete) || met);
    CHECK(!is_met(&c, explore_pct, few, &complete) || met);
    sum->compared++;
    sum->found += met;
    if (test_errors)
      fprintf(stderr, "  client %s\n", text);
  }
  client_free(&c);
}

static void compare_clients(uint32_t most, struct agreement *sum) {
  struct rng r = {3};
  for (uint32_t i = 0; i < CLIENTS && !test_errors; i++) {
    struct buf threads = {0};
    uint32_t n = 2 + (uint32_t)rng_below(&r, most - 1);
    for (uint32_t t = 0; t < n; t++) {
      buf_puts(&threads, t ? " || " : "");
      put_thread(&r, n == 2 ? 1 + (uint32_t)rng_below(&r, 2) : 1, &threads);
    }
    for (uint32_t k = 0; k < FORBIDDEN && !test_errors; k++) {
      struct buf text = {0};
      buf_printf(&text, "forbid(%u); %s", (unsigned)rng_below(&r, 64),
                 buf_text(&threads));
      compare(buf_text(&text), sum);
      buf_free(&text);
    }
    buf_free(&threads);
  }
  CHECK(sum->found > 2 && sum->found < sum->compared);
}

static void compare_all(void *so) {
  struct agreement sum = {0};
  engine_open(so, NULL);
  compare_clients(3, &sum);
  CHECK(sum.compared > CLIENTS * FORBIDDEN / 2);
}

static void compare_tso(void *so) {
  struct agreement sum = {0};
  struct rt_options o = {.max_steps = 10000, .tso = true, .buffer = 2};
  engine_open(so, &o);
  compare_clients(2, &sum);
}

static void compare_object(const char *always, const char *opt,
                           void (*how)(void *so)) {
  struct buf text = {0};
  buf_printf(&text, "%s%s\n", object, always);
  char *so = engine_build(buf_text(&text), opt);
  engine_child(how, so);
  free(so);
  buf_free(&text);
}

TEST(they_agree_when_no_operation_is_open) {
  compare_object("FL_ALWAYS(is_another)", "-O1", compare_all);
}
TEST(they_agree_when_none_of_the_named_is_open) {
  compare_object("FL_ALWAYS(is_another, both, mine)", "-O2", compare_all);
}
TEST(they_agree_on_several_functions) {
  compare_object("FL_ALWAYS(is_another, copy)\nFL_ALWAYS(is_another, locked)",
                 "-O1", compare_all);
}
TEST(they_agree_under_tso) {
  compare_object("FL_ALWAYS(is_another)", "-O1", compare_tso);
}

TEST_MAIN
