/*
 * Activations in recorded executions, and regions that are not to be
 * interrupted, on objects for which the answer is known.
 */
#include "engine.h"

#include "model/region.h"

#define HEAD                                                                   \
  "#include <faultline.h>\n#include <pthread.h>\n#include <setjmp.h>\n"        \
  "#include <stdatomic.h>\n#include <string.h>\n"                              \
  "#define ALONE __attribute__((noinline))\n"

static struct arena arena;
static struct trace trace;

/* Both say the same about who called. */
static void check_chain(const struct event *e) {
  uint32_t f = e->chain;
  for (uint32_t a = e->activation; a; a = trace.activations[a].parent)
    if (trace.activations[a].call_pc) {
      CHECK(trace.activations[a].call_pc == trace.frames[f].call_pc);
      f = trace.frames[f].parent;
    }
  CHECK_INT(f, 0);
}

/* The one execution of a client with one thread, or the first of several. */
static void record(const char *client) {
  static struct client c;
  engine_client(&c, client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  arena_reset(&arena);
  CHECK_INT(rt_run_recorded(NULL, &arena, &trace), RT_DONE);
  for (uint32_t i = 0; i < trace.nevents; i++)
    check_chain(&trace.events[i]);
}

/* The accesses of thread 1. */
struct taken {
  const struct event *at[64];
  uint32_t n;
};

static struct taken accesses(void) {
  struct taken a = {0};
  for (uint32_t i = 0; i < trace.nevents && a.n < 64; i++) {
    const struct event *e = &trace.events[i];
    bool lock = e->kind == EV_LOCK || e->kind == EV_UNLOCK;
    if (e->thread == 1 &&
        (event_reads[e->kind] || event_writes[e->kind] || lock))
      a.at[a.n++] = e;
  }
  return a;
}

static uint32_t parent(uint32_t a) { return trace.activations[a].parent; }

static uint32_t depth(uint32_t a) {
  uint32_t n = 0;
  for (; a; a = parent(a))
    n++;
  return n;
}

/* ---- activations ---- */

static void tell_calls_apart(void *so) {
  engine_open(so, NULL);
  record("{twice(2)}");
  struct taken a = accesses(); /* n, n, n (its own), n, n, n (its own) */
  if (!CHECK_INT(a.n, 6))
    return;
  const uint32_t first = a.at[0]->activation, second = a.at[3]->activation;
  const uint32_t own = a.at[2]->activation;
  CHECK(first && first == a.at[1]->activation);
  CHECK(second && second == a.at[4]->activation);
  CHECK(first != second);
  CHECK_INT(a.at[0]->chain, a.at[3]->chain);
  CHECK_INT(parent(first), own);
  CHECK_INT(parent(second), own);
  CHECK_INT(a.at[5]->activation, own);
  uint64_t site = trace.activations[first].call_pc;
  CHECK(site && site == trace.activations[second].call_pc);
  CHECK(site == trace.frames[a.at[0]->chain].call_pc);

  struct trace copy;
  struct arena other = {0};
  CHECK(trace_copy(&copy, &trace, &other));
  CHECK_INT(copy.nactivations, trace.nactivations);
  CHECK(copy.activations != trace.activations);
  CHECK(!memcmp(copy.activations, trace.activations,
                copy.nactivations * sizeof *copy.activations));
  arena_free(&other);

  /* The same numbers in every execution. */
  uint32_t before = trace.nactivations;
  record("{twice(2)}");
  CHECK_INT(trace.nactivations, before);
  record("{twice(2); twice(2)}");
  a = accesses();
  CHECK_INT(a.n, 12);
  CHECK(a.at[2]->activation != a.at[8]->activation);
}

static const char calls[] = HEAD
    "static volatile int n;\n"
    "static ALONE void bump(void) { n = n + 1; }\n"
    "static ALONE int twice(int times) {\n"
    "  int r = 0;\n"
    "  for (int i = 0; i < times; i++) { bump(); r += n; }\n"
    "  return r;\n}\n"
    "static ALONE void down(int k) { n = k; if (k) { down(k - 1); n = -k; } }\n"
    "static inline __attribute__((always_inline)) void inlined(void) {\n"
    "  n = n + 1;\n}\n"
    "static ALONE void both(void) { inlined(); inlined(); n = 0; }\n"
    "static jmp_buf back;\n"
    "static ALONE void leap(void) { n = 5; longjmp(back, 1); }\n"
    "static ALONE void over(void) { leap(); }\n"
    "static ALONE void leaps(void) {\n"
    "  if (!setjmp(back)) over();\n"
    "  bump();\n}\n"
    "FL_OBJECT(calls)\nFL_OP(int, twice, FL_INT(1, 2))\n"
    "FL_OP(void, down, FL_INT(0, 3))\n"
    "FL_OP(void, both)\nFL_OP(void, leaps)\n";

static void with(const char *text, const char *opt, void (*body)(void *)) {
  char *so = engine_build(text, opt);
  engine_child(body, so);
  free(so);
}

TEST(two_calls_from_one_place_are_two_activations) {
  with(calls, "-O0", tell_calls_apart);
  with(calls, "-O1", tell_calls_apart);
}

static void follow_recursion(void *so) {
  engine_open(so, NULL);
  record("{down(3)}");
  struct taken a = accesses(); /* 3 2 1 0 -1 -2 -3 */
  if (!CHECK_INT(a.n, 7))
    return;
  for (uint32_t i = 0; i < 3; i++) {
    CHECK_INT(a.at[i]->activation, a.at[6 - i]->activation);
    CHECK_INT(parent(a.at[i + 1]->activation), a.at[i]->activation);
  }
}

TEST(each_level_of_a_recursion_is_an_activation) {
  with(calls, "-O0", follow_recursion);
  with(calls, "-O1", follow_recursion);
}

static void follow_inlined(void *so) {
  engine_open(so, NULL);
  record("{both()}");
  struct taken a = accesses();
  if (!CHECK_INT(a.n, 5))
    return;
  for (uint32_t i = 1; i < a.n; i++)
    CHECK_INT(a.at[i]->activation, a.at[0]->activation);
}

TEST(inlined_code_is_in_the_activation_around_it) {
  with(calls, "-O0", follow_inlined);
  with(calls, "-O1", follow_inlined);
}

/* Between the leap and the end of the call, frames that it left behind may not
 * be known to be gone, in chains and in activations. */
static void follow_leap(void *so) {
  engine_open(so, NULL);
  record("{leaps(); twice(1)}");
  struct taken a = accesses();
  const struct event *own = a.at[a.n - 1], *first = a.at[0];
  CHECK_INT(depth(own->activation), 1);
  CHECK_INT(depth(a.at[a.n - 2]->activation), 2);
  CHECK_INT(parent(a.at[a.n - 2]->activation), own->activation);
  for (; first->activation != own->activation; first++)
    if (first->thread == 1 && first->call != own->call)
      for (uint32_t i = first->activation; i; i = parent(i))
        CHECK(i != own->activation);
}

TEST(what_longjmp_leaves_behind_is_no_caller) {
  with(calls, "-O0", follow_leap);
  with(calls, "-O1", follow_leap);
}

/* ---- regions ---- */

static struct region region;
static struct regions regions = {&region, 1};
static uint64_t pcs[64];
static uint8_t stay[64 * 64];

static void add_place(uint64_t pc) {
  uint32_t i = region.npcs;
  for (uint32_t k = 0; k < i; k++)
    if (pcs[k] == pc || !pc)
      return;
  for (; i && pcs[i - 1] > pc; i--)
    pcs[i] = pcs[i - 1];
  pcs[i] = pc;
  region.npcs++;
}

/* One region: the places of some of thread 1's accesses in `client`, or of the
 * calls in which they are made; it stays from everywhere to everywhere. */
static void protect(const char *client, uint32_t first, uint32_t last,
                    bool callers) {
  rt_atomic(NULL);
  record(client);
  struct taken a = accesses();
  region = (struct region){.pcs = pcs, .stays = stay};
  memset(stay, 1, sizeof stay);
  if (!CHECK(last < a.n))
    return;
  for (uint32_t i = first; i <= last; i++)
    add_place(callers ? trace.activations[a.at[i]->activation].call_pc
                      : a.at[i]->pc);
  rt_atomic(&regions);
}

/* How many outcomes a client has, by all searches. */
static uint32_t outcomes(const char *client) {
  static struct client c;
  uint32_t n[3];
  engine_client(&c, client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  for (int how = ENGINE_DFS; how <= ENGINE_UNREDUCED; how++) {
    struct engine_found f;
    engine_explore(&f, &c, how, 0);
    n[how] = engine_outcomes(&f);
    for (uint32_t i = 0; i < f.at.len; i++)
      CHECK_INT(f.at.at[i].end, RT_DONE); /* others are not judged */
    engine_free(&f);
  }
  CHECK_INT(n[ENGINE_STATEFUL], n[ENGINE_DFS]);
  CHECK_INT(n[ENGINE_UNREDUCED], n[ENGINE_DFS]);
  return n[ENGINE_DFS];
}

static const char counter[] = HEAD
    "static volatile int n, sum;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static ALONE int look(void) { return n; }\n"
    "static ALONE void store(int v) { n = v; }\n"
    "static int add(void) { int k = n; n = k + 1; return k; }\n"
    "static int far(void) { int k = look(); store(k + 1); return k; }\n"
    "static int locked(void) {\n"
    "  int k = sum;\n"
    "  pthread_mutex_lock(&m);\n"
    "  n = n + 1;\n"
    "  pthread_mutex_unlock(&m);\n"
    "  return k + sum;\n}\n"
    "static int other(void) {\n"
    "  pthread_mutex_lock(&m);\n"
    "  sum = sum + 1;\n  n = n + 1;\n"
    "  pthread_mutex_unlock(&m);\n"
    "  return n;\n}\n"
    "static struct pair { long a, b, c; } x, y;\n"
    "static int copy(void) { memcpy(&y, &x, sizeof x); return 0; }\n"
    "static int copies(int times) {\n"
    "  for (int i = 0; i < times; i++) memcpy(&y, &x, sizeof x);\n  return "
    "0;\n}\n"
    "static int fill(int v) { x.a = v; x.b = v; x.c = v; return 0; }\n"
    "static int check(void) { long a = y.a; return (a == y.c) + 2 * (int)a; }\n"
    "static volatile int turn;\n"
    "static int spins(void) { int k = n; while (!turn) ; return n - k; }\n"
    "static int lets(void) { turn = 1; n = n + 1; return 0; }\n"
    "FL_OBJECT(counter)\nFL_OP(int, add)\nFL_OP(int, far)\nFL_OP(int, locked)\n"
    "FL_OP(int, other)\nFL_OP(int, copy)\nFL_OP(int, copies, FL_INT(1, 2))\n"
    "FL_OP(int, fill, FL_INT(0, 2))\n"
    "FL_OP(int, check)\nFL_OP(int, spins)\nFL_OP(int, lets)\n";

static void protect_counter(void *so) {
  engine_open(so, NULL);
  CHECK_INT(outcomes("{add()} || {add()}"), 3); /* 0 1, 1 0, 0 0 */
  protect("{add()}", 0, 1, false);
  CHECK_INT(outcomes("{add()} || {add()}"), 2);
  CHECK(!rt_left_out());
  /* A region has no effect on code that is not in it. */
  CHECK_INT(outcomes("{far()} || {far()}"), 3);
  /* From one access to the next it leaves: there is nothing to interrupt. */
  memset(stay, 0, sizeof stay);
  CHECK_INT(outcomes("{add()} || {add()}"), 3);
  rt_atomic(NULL);
  CHECK_INT(outcomes("{add()} || {add()}"), 3);
}

TEST(a_region_is_not_interrupted) {
  with(counter, "-O0", protect_counter);
  with(counter, "-O1", protect_counter);
}

static void protect_caller(void *so) {
  engine_open(so, NULL);
  CHECK_INT(outcomes("{far()} || {far()}"), 3);
  protect("{far()}", 0, 1, true);
  CHECK_INT(region.npcs, 2);
  CHECK_INT(outcomes("{far()} || {far()}"), 2);
  CHECK(!rt_left_out());
}

TEST(accesses_of_a_callee_count_for_its_caller) {
  with(counter, "-O0", protect_caller);
  with(counter, "-O1", protect_caller);
}

static void protect_lock(void *so) {
  engine_open(so, NULL);
  uint32_t all = outcomes("{locked()} || {other()}");
  protect("{locked()}", 0, 5, false);
  rt_left_out();
  /* Without the others' lock in its way, it comes through at once. */
  CHECK_INT(outcomes("{locked()} || {add()}"), 2);
  CHECK(!rt_left_out());
  /* Before the other and behind it, since what other() reads at its end is
   * its own n or with that of locked(). */
  uint32_t some = outcomes("{locked()} || {other()}");
  CHECK(some > 1 && some < all);
  CHECK(rt_left_out());
  CHECK(!rt_left_out());
}

TEST(where_a_region_would_wait_for_a_lock_is_left_out) {
  with(counter, "-O1", protect_lock);
}

static void protect_spin(void *so) {
  engine_open(so, NULL);
  const char *client = "{spins()} || {lets()}";
  CHECK_INT(outcomes(client), 2);
  protect("lets(); {spins()}", 0, 2, false);
  rt_left_out();
  /* No livelock: the other one goes first. */
  CHECK_INT(outcomes(client), 1);
  CHECK(rt_left_out());
}

TEST(where_a_region_would_wait_in_a_loop_is_left_out) {
  with(counter, "-O1", protect_spin);
}

static void protect_copy(void *so) {
  engine_open(so, NULL);
  const char *client = "{copy()} || {fill(1)}; check()";
  CHECK_INT(outcomes(client), 4); /* torn ones too */
  protect("{copy()}", 0, 0, false);
  memset(stay, 0, sizeof stay); /* it does not come back: it is still there */
  uint32_t atomic = outcomes(client);
  CHECK(atomic < 4);
  CHECK(!rt_left_out());
  /* The copy is not torn by `fill`, which may be torn by the copy. */
  CHECK_INT(outcomes("{copy()} || {fill(1)}"), 1);
}

TEST(a_library_function_is_one_place_while_it_runs) {
  with(counter, "-O1", protect_copy);
}

/* How often thread 1 could have been interrupted; it is, whenever it can. */
static uint32_t between;

static int alternate(void *ctx, uint32_t enabled, int current) {
  (void)ctx;
  uint32_t others = enabled & ~(1u << current);
  between += current == 1 && enabled == (1u << 1 | 1u << 2);
  return __builtin_ctz(others ? others : enabled);
}

static uint32_t interruptions(void) {
  struct rt_driver driver = {alternate, NULL, NULL, .every = true};
  between = 0;
  CHECK_INT(rt_run(&driver), RT_DONE);
  return between;
}

static void leave_between_calls(void *so) {
  engine_open(so, NULL);
  static struct client c;
  protect("{copies(2)}", 0, 0, false);
  engine_client(&c, "{copies(2)} || {fill(1); fill(2)}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  CHECK_INT(interruptions(), 0);
  memset(stay, 0, sizeof stay);
  CHECK_INT(interruptions(), 1);
  rt_atomic(NULL);
  CHECK(interruptions() > 4);
}

TEST(two_calls_of_a_library_function_are_two) {
  with(counter, "-O1", leave_between_calls);
}

/*
 * The same native state, reached inside of the region (c was set before it was
 * read) and outside (after that).  poke() sees g without w only from there.
 */
static const char ways[] =
    HEAD "static volatile int c, g, w;\n"
         "static void take(void) {\n"
         "  if (c) { g = 1; __asm__ volatile(\"nop\"); } else g = 1;\n"
         "  w = 1;\n}\n"
         "static int poke(void) {\n"
         "  c = 1;\n"
         "  int k = g;\n"
         "  return 2 * k + w;\n}\n"
         "FL_OBJECT(ways)\nFL_OP(void, take)\nFL_OP(int, poke)\n";

static void tell_ways_apart(void *so) {
  engine_open(so, NULL);
  protect("poke(); {take()}", 1, 2, false);
  CHECK_INT(region.npcs, 2);
  CHECK_INT(outcomes("{poke()} || {take()}"), 4);
}

TEST(whether_a_thread_is_inside_is_part_of_the_state) {
  with(ways, "-O0", tell_ways_apart);
}

TEST_MAIN
