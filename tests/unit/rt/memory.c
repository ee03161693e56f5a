/*
 * The heap of the code under test, thread-local variables, and stacks that
 * other threads look into.
 */
#include "engine.h"

static enum rt_end run_one(const char *client, long long *result) {
  struct client c = {0};
  engine_client(&c, client);
  enum rt_end end = rt_prepare(engine.suite, &c);
  if (end == RT_DONE)
    end = rt_run(NULL);
  if (result)
    *result = end == RT_DONE ? (int64_t)rt_history()->ops[0].result.bits : -1;
  client_free(&c);
  return end;
}

/* ---- policies ---- */

static const char policy_text[] =
    "#include <faultline.h>\n"
    "#include <stdlib.h>\n"
    /* 1: the last freed comes first; 2: the one before it comes next */
    "static int lifo(int size) {\n"
    "  void *a = malloc(size), *b = malloc(size);\n"
    "  free(a); free(b);\n"
    "  void *c = malloc(size), *d = malloc(size);\n"
    "  return (c == b) + 2 * (d == a); }\n"
    "static int distinct(int n) {\n"
    "  void *at[64]; int different = 0;\n"
    "  for (int i = 0; i < n; i++) { at[i] = malloc(24); free(at[i]);\n"
    "    int k = 0; while (k < i && at[k] != at[i]) k++;\n"
    "    different += k == i; }\n"
    "  return different; }\n"
    "static long address(void) { return (long)malloc(16); }\n"
    "FL_OBJECT(heap)\nFL_OP(int, lifo, FL_INT(1, 200))\n"
    "FL_OP(int, distinct, FL_INT(1, 64))\nFL_OP(long, address)\n";

static void reuses(void *so) {
  engine_open(so, &(struct rt_options){.reuse = true});
  for (int size = 1; size <= 128; size += 9) {
    char text[64];
    long long r;
    snprintf(text, sizeof text, "{lifo(%d)}", size);
    CHECK_INT(run_one(text, &r), RT_DONE);
    CHECK_INT(r, 3);
  }
  long long r;
  run_one("{distinct(50)}", &r);
  CHECK_INT(r, 1);
}

static void quarantines(void *so) {
  engine_open(so, NULL);
  long long r;
  CHECK_INT(run_one("{lifo(24)}", &r), RT_DONE);
  CHECK_INT(r, 0);
  run_one("{distinct(50)}", &r);
  CHECK_INT(r, 50);
}

/* (R1) needs addresses that the interleaving does not decide. */
static void addresses(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{address(); address()} || {address()} || {address()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct engine_found f;
  engine_explore(&f, &c, ENGINE_DFS, 0);
  CHECK_INT(f.executions, 12);
  CHECK_INT(engine_outcomes(&f), 1);
  engine_free(&f);
  client_free(&c);
}

TEST(reuse_gives_the_last_freed_block_first) {
  char *so = engine_build(policy_text, NULL);
  engine_child(reuses, so);
  free(so);
}
TEST(quarantine_gives_no_block_twice) {
  char *so = engine_build(policy_text, NULL);
  engine_child(quarantines, so);
  free(so);
}
TEST(addresses_do_not_depend_on_the_interleaving) {
  char *so = engine_build(policy_text, NULL);
  engine_child(addresses, so);
  free(so);
}

/* ---- bounds ---- */

static const char bounds_text[] =
    "#include <faultline.h>\n"
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static char *get(int how, int size) {\n"
    "  switch (how) {\n"
    "  case 0: return malloc(size);\n"
    "  case 1: return calloc(1, size);\n"
    "  case 2: return realloc(malloc(3), size);\n"
    "  default: { void *p; return posix_memalign(&p, 64, size) ? 0 : p; } } }\n"
    "static int touch(int how, int size, int at, int width, int write) {\n"
    "  char *before = malloc(40), *p = get(how, size), *behind = malloc(40);\n"
    "  (void)before; (void)behind;\n"
    "  volatile char *q = p + at;\n"
    "  if (write) switch (width) {\n"
    "    case 1: *q = 1; break;\n"
    "    case 2: *(volatile uint16_t *)q = 1; break;\n"
    "    case 4: *(volatile uint32_t *)q = 1; break;\n"
    "    case 8: *(volatile uint64_t *)q = 1; break;\n"
    "    default: memset(p + at, 1, width); }\n"
    "  else switch (width) {\n"
    "    case 1: return *q;\n"
    "    case 2: return *(volatile uint16_t *)q;\n"
    "    case 4: return (int)*(volatile uint32_t *)q;\n"
    "    case 8: return (int)*(volatile uint64_t *)q;\n"
    "    default: return memchr(p + at, 77, width) != NULL; }\n"
    "  return 0; }\n"
    "static int stale(int size, int at) {\n"
    "  volatile char *p = malloc(size); free((void *)p); return p[at]; }\n"
    "FL_OBJECT(bounds)\n"
    "FL_OP(int, touch, FL_INT(0, 3), FL_INT(1, 64), FL_INT(-32, 99),\n"
    "      FL_INT(1, 16), FL_BOOL)\n"
    "FL_OP(int, stale, FL_INT(1, 64), FL_INT(0, 63))\n";

/* The sides are red for 16 bytes in front and at least as many behind. */
static void bounds(void *so) {
  static const int widths[] = {1, 2, 4, 8, 11};
  engine_open(so, NULL);
  struct rng rng = {5};
  uint32_t inside = 0, outside = 0;
  for (int size = 1; size <= 40; size++)
    for (int at = -16; at < size + 16; at++) {
      int how = (int)rng_below(&rng, 4);
      int width = widths[rng_below(&rng, 5)];
      int write = (int)rng_below(&rng, 2);
      bool legal = at >= 0 && at + width <= size;
      char text[96];
      snprintf(text, sizeof text, "{touch(%d, %d, %d, %d, %d)}", how, size, at,
               width, write);
      enum rt_end end = run_one(text, NULL);
      bool ok = CHECK_INT(end, legal ? RT_DONE : RT_FAULT);
      if (end == RT_FAULT)
        ok &= CHECK_INT(rt_fault()->kind, FAULT_OUT_OF_BOUNDS);
      if (!ok)
        fprintf(stderr, "  %s: %s\n", text, rt_fault()->text);
      *(legal ? &inside : &outside) += 1;
    }
  CHECK(inside > 100 && outside > 100);
}

static void stale(void *so) {
  engine_open(so, NULL);
  for (int size = 1; size <= 64; size += 7)
    for (int at = 0; at < size; at++) {
      char text[64];
      snprintf(text, sizeof text, "{stale(%d, %d)}", size, at);
      CHECK_INT(run_one(text, NULL), RT_FAULT);
      CHECK_INT(rt_fault()->kind, FAULT_USE_AFTER_FREE);
    }
}

TEST(both_sides_of_a_block_are_guarded) {
  char *so = engine_build(bounds_text, NULL);
  engine_child(bounds, so);
  free(so);
}
TEST(no_byte_of_a_freed_block_may_be_touched) {
  char *so = engine_build(bounds_text, NULL);
  engine_child(stale, so);
  free(so);
}

/* ---- thread-local variables ---- */

static void locals(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "bump(); {bump(); bump()} || {bump()} || {fail(5); "
                    "last()}; bump(); last()");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  for (int how = ENGINE_DFS; how <= ENGINE_UNREDUCED; how++) {
    struct engine_found f;
    engine_explore(&f, &c, how, 0);
    CHECK_INT(engine_outcomes(&f), 1);
    static const int64_t want[] = {101, 101, 102, 101, 0, 5, 102, 0};
    for (uint32_t i = 0; i < c.ncalls && f.at.len; i++)
      CHECK_INT((int64_t)f.at.at[0].history.ops[i].result.bits, want[i]);
    engine_free(&f);
  }
  client_free(&c);
}

TEST(each_thread_has_its_own_variables_and_errno) {
  char *so = engine_build(
      "#include <errno.h>\n"
      "#include <faultline.h>\n"
      "static _Thread_local int n = 100;\n"
      "static int shared;\n"
      "static int bump(void) { shared = 1; n++; shared = 2; return n; }\n"
      "static int fail(int e) { errno = e; shared = 3; return 0; }\n"
      "static int last(void) { shared = 4; return errno; }\n"
      "FL_OBJECT(local)\nFL_OP(int, bump)\nFL_OP(int, fail, FL_INT(0, 9))\n"
      "FL_OP(int, last)\n",
      NULL);
  engine_child(locals, so);
  free(so);
}

/* ---- stacks ---- */

/* The owner's own accesses become steps when somebody else is seen there. */
static void shared_stack(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{lend()} || {touch()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  for (int how = ENGINE_DFS; how <= ENGINE_UNREDUCED; how++) {
    struct engine_found f;
    engine_explore(&f, &c, how, 0);
    bool lost = false, both = false, alone = false;
    for (uint32_t i = 0; i < f.at.len; i++) {
      int64_t v = (int64_t)f.at.at[i].history.ops[0].result.bits;
      lost |= v == 1 && f.at.at[i].history.ops[1].result.bits;
      both |= v == 11;
      alone |= v == 1 && !f.at.at[i].history.ops[1].result.bits;
    }
    CHECK(lost);  /* between the owner's read and its write */
    CHECK(both);  /* before or after them */
    CHECK(alone); /* nothing was lent */
    engine_free(&f);
  }
  client_free(&c);
}

TEST(a_lent_stack_variable_is_shared) {
  char *so = engine_build(
      "#include <faultline.h>\n"
      "#include <pthread.h>\n"
      "static int *lent;\n"
      "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
      "static int lend(void) { volatile int v = 0;\n"
      "  lent = (int *)&v; v = v + 1;\n"
      "  pthread_mutex_lock(&m); lent = 0; pthread_mutex_unlock(&m);\n"
      "  return v; }\n"
      "static int touch(void) { pthread_mutex_lock(&m);\n"
      "  int *p = lent; if (p) *p += 10; pthread_mutex_unlock(&m);\n"
      "  return p != 0; }\n"
      "FL_OBJECT(stack)\nFL_OP(int, lend)\nFL_OP(int, touch)\n",
      NULL);
  engine_child(shared_stack, so);
  free(so);
}

/* A stack that nobody looks into makes no steps. */
static void own_stack(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{sort()} || {sort()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct engine_found f;
  engine_explore(&f, &c, ENGINE_DFS, 0);
  CHECK_INT(f.executions, 2); /* one step each: they touch nothing shared */
  engine_free(&f);
  client_free(&c);
}

TEST(ones_own_stack_makes_no_steps) {
  char *so = engine_build(
      "#include <faultline.h>\n"
      "static int sort(void) { volatile int a[5] = {3, 1, 2, 5, 4};\n"
      "  for (int i = 0; i < 5; i++) for (int k = 0; k < i; k++)\n"
      "    if (a[k] > a[i]) { int t = a[k]; a[k] = a[i]; a[i] = t; }\n"
      "  return a[0]; }\n"
      "FL_OBJECT(sort)\nFL_OP(int, sort)\n",
      NULL);
  engine_child(own_stack, so);
  free(so);
}

TEST_MAIN
