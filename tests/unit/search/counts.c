/*
 * How many interleavings there are, against closed formulas; outcomes of the
 * usual litmus tests under sequential consistency.
 */
#include "engine.h"

static uint64_t factorial(uint64_t n) {
  uint64_t f = 1;
  while (n > 1)
    f *= n--;
  return f;
}

static uint64_t executions_of(const char *client, enum engine_search how) {
  struct client c = {0};
  struct engine_found f;
  engine_client(&c, client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  engine_explore(&f, &c, how, 0);
  CHECK_INT(f.end, EXPLORE_ALL);
  CHECK_INT(f.cut, 0);
  /* The graph of states knows how many ways lead through it. */
  uint64_t n = how == ENGINE_UNREDUCED ? f.interleavings : f.executions;
  engine_free(&f);
  client_free(&c);
  return n;
}

static const char steps_text[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "static volatile int x;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void s0(void) {}\n"
    "static void s1(void) { x = 1; }\n"
    "static void s2(void) { x = 1; x = 2; }\n"
    "static void s3(void) { x = 1; x = 2; x = 3; }\n"
    "static void locked(void) { pthread_mutex_lock(&m); x = 1;\n"
    "  pthread_mutex_unlock(&m); }\n"
    "FL_OBJECT(steps)\nFL_OP(void, s0)\nFL_OP(void, s1)\n"
    "FL_OP(void, s2)\nFL_OP(void, s3)\nFL_OP(void, locked)\n";

/* Random shapes of up to 11 steps in 1 to 4 threads. */
static void multinomials(void *so) {
  engine_open(so, NULL);
  struct rng rng = {3};
  for (int round = 0; round < 60; round++) {
    struct buf text = {0};
    uint64_t threads = 1 + rng_below(&rng, 4), total = 0, expected;
    uint64_t below = 1;
    for (uint64_t t = 0; t < threads; t++) {
      uint64_t mine = 0, calls = 1 + rng_below(&rng, 2);
      buf_puts(&text, t ? " || {" : "{");
      while (calls--) {
        uint64_t room = 11 - total - mine - (threads - t - 1);
        uint64_t k = rng_below(&rng, room > 3 ? 4 : room);
        if (k > room || room == 0)
          break;
        mine += k ? k : 1; /* a call that touches nothing is one step */
        buf_printf(&text, "s%d(); ", (int)k);
        if (total + mine >= 10)
          break;
      }
      if (!mine) {
        mine = 1;
        buf_puts(&text, "s1()");
      }
      buf_puts(&text, "}");
      total += mine;
      below *= factorial(mine);
    }
    expected = factorial(total) / below;
    if (!CHECK_INT((long long)executions_of(buf_text(&text), ENGINE_DFS),
                   (long long)expected) ||
        !CHECK_INT((long long)executions_of(buf_text(&text), ENGINE_UNREDUCED),
                   (long long)expected))
      fprintf(stderr, "  %s\n", buf_text(&text));
    buf_free(&text);
  }
}

TEST(interleavings_are_multinomials) {
  char *so = engine_build(steps_text, NULL);
  engine_child(multinomials, so);
  free(so);
}

/* A critical section is one block: others can only wait. */
static void blocks(void *so) {
  engine_open(so, NULL);
  CHECK_INT(executions_of("{locked()} || {locked()}", ENGINE_DFS), 2);
  CHECK_INT(
      executions_of("{locked(); locked()} || {locked(); locked()}", ENGINE_DFS),
      6); /* 4! / 2! 2! */
  CHECK_INT(executions_of("{locked(); locked()} || {locked()} || {locked()}",
                          ENGINE_DFS),
            12); /* 4! / 2! */
  CHECK_INT(executions_of("{locked(); locked()} || {locked()} || {locked()}",
                          ENGINE_UNREDUCED),
            12);
  /* One step beside a block of three: before, between (2) or after. */
  CHECK_INT(executions_of("{locked()} || {s1()}", ENGINE_DFS), 4);
}

TEST(critical_sections_are_ordered_as_wholes) {
  char *so = engine_build(steps_text, NULL);
  engine_child(blocks, so);
  free(so);
}

/* ---- litmus tests ---- */

struct litmus {
  const char *name, *client;
  const char *outcomes; /* of the calls in order, sorted; no others */
};

static const struct litmus litmus[] = {
    {"store buffering", "{x1_ry()} || {y1_rx()}", "01 10 11"},
    {"load buffering", "{rx_y1()} || {ry_x1()}", "00 01 10"},
    {"message passing", "{x1_y1()} || {ry_rx()}", "00 01 03"},
    /* three times the first read and the second, which is never older */
    {"coherence", "{x1_x2()} || {rx_rx()}", "00 01 02 04 05 08"},
    {"2+2W", "{x1_y2()} || {y1_x2()}; get_x(); get_y()", "0012 0021 0022"},
    {"independent reads of independent writes",
     "{set_x()} || {set_y()} || {rx_ry()} || {ry_rx()}",
     "0000 0001 0002 0003 0010 0011 0012 0013 0020 0021 0023 0030 0031 0032 "
     "0033"},
};

static const char litmus_text[] =
    "#include <faultline.h>\n"
    "#include <stdatomic.h>\n"
    "static atomic_int x, y;\n"
    "#define W(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n"
    "#define R(v) atomic_load_explicit(&v, memory_order_relaxed)\n"
    "static int set_x(void) { W(x, 1); return 0; }\n"
    "static int set_y(void) { W(y, 1); return 0; }\n"
    "static int x1_ry(void) { W(x, 1); return R(y); }\n"
    "static int y1_rx(void) { W(y, 1); return R(x); }\n"
    "static int rx_y1(void) { int r = R(x); W(y, 1); return r; }\n"
    "static int ry_x1(void) { int r = R(y); W(x, 1); return r; }\n"
    "static int x1_y1(void) { W(x, 1); W(y, 1); return 0; }\n"
    "static int ry_rx(void) { int r = R(y); return 2 * r + R(x); }\n"
    "static int rx_ry(void) { int r = R(x); return 2 * r + R(y); }\n"
    "static int x1_x2(void) { W(x, 1); W(x, 2); return 0; }\n"
    "static int rx_rx(void) { int r = R(x); return 3 * r + R(x); }\n"
    "static int x1_y2(void) { W(x, 1); W(y, 2); return 0; }\n"
    "static int y1_x2(void) { W(y, 1); W(x, 2); return 0; }\n"
    "static int get_x(void) { return R(x); }\n"
    "static int get_y(void) { return R(y); }\n"
    "FL_OBJECT(litmus)\nFL_OP(int, set_x)\nFL_OP(int, set_y)\nFL_OP(int, "
    "x1_ry)\n"
    "FL_OP(int, y1_rx)\nFL_OP(int, rx_y1)\nFL_OP(int, ry_x1)\n"
    "FL_OP(int, x1_y1)\nFL_OP(int, ry_rx)\nFL_OP(int, rx_ry)\n"
    "FL_OP(int, x1_x2)\nFL_OP(int, rx_rx)\nFL_OP(int, x1_y2)\n"
    "FL_OP(int, y1_x2)\nFL_OP(int, get_x)\nFL_OP(int, get_y)\n";

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void outcomes_text(const struct engine_found *f, struct buf *out) {
  enum { MOST = 64, WIDTH = 16 };
  char all[MOST][WIDTH];
  size_t n = 0;
  for (uint32_t i = 0; i < f->at.len; i++) {
    char one[WIDTH] = "";
    for (uint32_t k = 0; k < f->client->ncalls; k++)
      one[k] = (char)('0' + f->at.at[i].history.ops[k].result.bits);
    bool known = false;
    for (size_t k = 0; k < n; k++)
      known |= !strcmp(all[k], one);
    if (!known && n < MOST)
      memcpy(all[n++], one, WIDTH);
  }
  qsort(all, n, WIDTH, by_text);
  for (size_t i = 0; i < n; i++)
    buf_printf(out, i ? " %s" : "%s", all[i]);
}

static void run_litmus(void *so) {
  engine_open(so, NULL);
  for (size_t i = 0; i < sizeof litmus / sizeof *litmus; i++)
    for (int how = ENGINE_DFS; how <= ENGINE_UNREDUCED; how++) {
      struct client c = {0};
      struct engine_found f;
      struct buf have = {0};
      engine_client(&c, litmus[i].client);
      CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
      engine_explore(&f, &c, how, 0);
      outcomes_text(&f, &have);
      if (!CHECK_STR(buf_text(&have), litmus[i].outcomes))
        fprintf(stderr, "  %s, search %d\n", litmus[i].name, how);
      engine_free(&f);
      buf_free(&have);
      client_free(&c);
    }
}

TEST(litmus_outcomes_are_those_of_sequential_consistency) {
  char *so = engine_build(litmus_text, NULL);
  engine_child(run_litmus, so);
  free(so);
}

TEST_MAIN
