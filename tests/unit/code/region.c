/*
 * Regions of functions made by hand, gcc and clang, all levels: which lines
 * have places, and between which of them control stays.
 */
#include "scratch.h"

#include "base/arena.h"
#include "code/region.h"
#include "model/loops.h"

static const char source[] =
    "volatile int a, b, c, items[8];\n"
    "volatile long far; /* of another size: compilers merge equal tails */\n"
    "#define NOINLINE __attribute__((noinline))\n"
    "#define ALWAYS static inline __attribute__((always_inline))\n"
    "#define BOTH(x) do { a = x; b = x; } while (0)\n"
    "#line 100\n"
    "void straight(int n) {\n"
    "  a = n;\n" /* 101 */
    "  b = n;\n"
    "  c = n;\n"
    "}\n"
    "#line 110\n"
    "int loop(int n) {\n"
    "  int x = 0;\n"
    "  for (int i = n; i >= 0; i--) {\n" /* 112 */
    "    x = items[i];\n"
    "    items[i] = 0;\n"
    "    if (x)\n" /* 115 */
    "      break;\n"
    "  }\n"
    "  return x;\n"
    "}\n"
    "#line 120\n"
    "NOINLINE int helper(int n) {\n"
    "  a = n;\n" /* 121 */
    "  return b;\n"
    "}\n"
    "#line 130\n"
    "int calls(int n) {\n"
    "  c = n;\n" /* 131 */
    "  int x = helper(n);\n"
    "  c = x;\n" /* 133 */
    "  return x + helper(x) + 1;\n"
    "}\n"
    "#line 140\n"
    "ALWAYS void small(int n) {\n"
    "  a = n;\n" /* 141 */
    "  b = n;\n"
    "}\n"
    "#line 150\n"
    "void inlines(int n) {\n"
    "  small(n);\n" /* 151 */
    "  c = n;\n"
    "  small(n + 1);\n" /* 153 */
    "  small(n + 2);\n"
    "}\n"
    "#line 160\n"
    "void inlines_too(int n) {\n"
    "  small(n * 3);\n" /* 161 */
    "}\n"
    "#line 170\n"
    "void macro(int n) {\n"
    "  BOTH(n);\n"   /* 171 */
    "  c = n + 5;\n" /* or gcc makes it one with straight() */
    "}\n"
    "#line 180\n"
    "int early(int n) {\n"
    "  if (a == n) {\n" /* 181 */
    "    far = n;\n"
    "    return 1;\n"
    "  }\n"
    "  b = n;\n" /* 185 */
    "  c = n + 2;\n"
    "  return 2;\n"
    "}\n"
    "#line 190\n"
    "NOINLINE int down(int n) {\n"
    "  a = n;\n" /* 191 */
    "  int x = n > 0 ? down(n - 1) + 1 : 0;\n"
    "  b = x;\n" /* 193 */
    "  return x;\n"
    "}\n"
    "#line 200\n"
    "__attribute__((cold, noinline)) void rare(void) { c = 1; }\n"
    "#line 210\n"
    "void unlikely(int n) {\n"
    "  if (__builtin_expect(a == n, 0)) {\n" /* 211 */
    "    rare();\n"
    "    b = 5;\n"
    "    items[0] = n;\n"
    "  }\n"
    "  c = n;\n" /* 216 */
    "}\n";

struct object {
  struct lines *lines;
  struct flow *flow;
  scratch_returns calls;
  struct arena arena;
  struct loops loops;
  struct region r;
};

static void object_open(struct object *o, const char *so) {
  struct error e = {0};
  *o = (struct object){.lines = scratch_lines(so)};
  o->flow = flow_open(o->lines, &e);
  if (!o->flow)
    die("%s", e.text);
  o->calls = scratch_calls(o->lines);
}

static void object_close(struct object *o) {
  vec_free(&o->calls);
  flow_close(o->flow);
  lines_close(o->lines);
  loops_free(&o->loops);
  arena_free(&o->arena);
}

static void make(struct object *o, const char *file, const char *function,
                 uint32_t first, uint32_t last) {
  struct code_block block = {
      .file = file, .function = function, .first = first, .last = last};
  struct regions all;
  struct error e = {0};
  if (!CHECK_INT(regions_of_cause(o->flow, (struct cause){&block, 1}, &o->loops,
                                  &o->arena, &all, &e),
                 ERR_NONE) ||
      !CHECK_INT(all.len, 1))
    die("%s", e.text);
  o->r = all.at[0];
  for (uint32_t i = 1; i < o->r.npcs; i++)
    CHECK(o->r.pcs[i - 1] < o->r.pcs[i]);
}

/* Of place i: the line that is written there, or that of the call which brought
 * it into a function. */
static uint32_t line_of(struct object *o, uint32_t i, const char *function) {
  const struct place *p = lines_place(o->lines, o->r.pcs[i] - 1);
  while (p && strcmp(p->function, function))
    p = p->next;
  return p ? p->line : 0;
}

/* Places of a line, seen from a function. */
static uint32_t places(struct object *o, const char *function, uint32_t line) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->r.npcs; i++)
    n += line_of(o, i, function) == line;
  return n;
}

/* Whether control can stay from one line to another.  Every access here has a
 * hook; where that is not seen in the code, its instruction is a place, too. */
static bool stays(struct object *o, const char *function, uint32_t from,
                  uint32_t to) {
  for (uint32_t i = 0; i < o->r.npcs; i++)
    for (uint32_t j = 0; j < o->r.npcs; j++)
      if (line_of(o, i, function) == from && line_of(o, j, function) == to &&
          scratch_is_call(&o->calls, o->r.pcs[i]) &&
          scratch_is_call(&o->calls, o->r.pcs[j]) &&
          o->r.stays[i * o->r.npcs + j])
        return true;
  return false;
}

static void look_at_straight_code(struct object *o) {
  make(o, "r.c", "straight", 101, 102);
  CHECK_INT(o->r.npcs, 2);
  CHECK(stays(o, "straight", 101, 102));
  CHECK(!stays(o, "straight", 102, 101));
  CHECK(!stays(o, "straight", 101, 101));
  make(o, "r.c", "straight", 90, 100);
  CHECK_INT(o->r.npcs, 0);
  make(o, "other.c", "straight", 101, 102);
  CHECK_INT(o->r.npcs, 0);
}

static void look_at_loops(struct object *o) {
  make(o, "r.c", "loop", 113, 114);
  CHECK(places(o, "loop", 113) && places(o, "loop", 114));
  CHECK(stays(o, "loop", 113, 114));
  CHECK(!stays(o, "loop", 114, 113)); /* the next round is another one */
  CHECK(!stays(o, "loop", 113, 113));
  make(o, "r.c", "loop", 112, 117);
  CHECK(stays(o, "loop", 114, 113));
  CHECK(stays(o, "loop", 113, 113));
}

static void look_at_calls(struct object *o) {
  make(o, "r.c", "calls", 131, 133);
  CHECK_INT(o->r.npcs, 3);
  CHECK(stays(o, "calls", 131, 132));
  CHECK(stays(o, "calls", 132, 133));
  CHECK(stays(o, "calls", 131, 133));
  CHECK(!stays(o, "calls", 133, 132));
  make(o, "r.c", "calls", 132, 132);
  CHECK_INT(o->r.npcs, 1);
  make(o, "r.c", "helper", 121, 122); /* from wherever it is called */
  CHECK_INT(o->r.npcs, 2);
  CHECK(stays(o, "helper", 121, 122));
}

static void look_at_inlined_code(struct object *o) {
  make(o, "r.c", "small", 141, 142);
  CHECK_INT(places(o, "small", 141), 4);
  CHECK_INT(places(o, "small", 142), 4);
  CHECK(stays(o, "small", 141, 142));
  CHECK(!stays(o, "small", 142, 141)); /* the other copy is another one */
  CHECK(stays(o, "inlines_too", 161, 161));
  make(o, "r.c", "inlines", 151, 152);
  CHECK_INT(places(o, "inlines", 151), 2); /* the callee's accesses */
  CHECK_INT(places(o, "inlines", 152), 1);
  CHECK_INT(places(o, "inlines", 153), 0);
  CHECK(stays(o, "inlines", 151, 152));
  CHECK(stays(o, "inlines", 151, 151));
}

static void look_at_macros_and_returns(struct object *o) {
  make(o, "r.c", "macro", 171, 171);
  CHECK_INT(o->r.npcs, 2);
  CHECK(stays(o, "macro", 171, 171));
  make(o, "r.c", "early", 181, 185);
  CHECK_INT(o->r.npcs, 3);
  CHECK(stays(o, "early", 181, 182));
  CHECK(stays(o, "early", 181, 185));
  CHECK(!stays(o, "early", 182, 185));
  make(o, "r.c", "early", 182, 186);
  CHECK(stays(o, "early", 185, 186));
  CHECK(!stays(o, "early", 182, 186));
}

static void look_at_recursion(struct object *o) {
  make(o, "r.c", "down", 191, 193);
  CHECK(stays(o, "down", 191, 193));
  CHECK(!stays(o, "down", 193, 191));
}

static void look_at_cold_parts(struct object *o) {
  make(o, "r.c", "unlikely", 211, 214);
  CHECK_INT(places(o, "unlikely", 211), 1);
  CHECK_INT(places(o, "unlikely", 212), 1);
  CHECK_INT(places(o, "unlikely", 213), 1);
  CHECK_INT(places(o, "unlikely", 214), 1);
  CHECK(stays(o, "unlikely", 211, 214));
  CHECK(!stays(o, "unlikely", 214, 211));
}

TEST(places_and_ways_are_those_of_the_source) {
  scratch_write("r.c", source);
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "r.c", NULL);
    struct object o;
    unsigned before = test_errors;
    object_open(&o, so);
    look_at_straight_code(&o);
    look_at_loops(&o);
    look_at_calls(&o);
    look_at_inlined_code(&o);
    look_at_macros_and_returns(&o);
    look_at_recursion(&o);
    look_at_cold_parts(&o);
    if (test_errors > before)
      fprintf(stderr, "with %s %s\n", cc, opt);
    object_close(&o);
    free(so);
  }
}

TEST(static_functions_of_one_name_are_told_apart_by_their_files) {
  scratch_write("one.c", "int a; static void __attribute__((noinline))\n"
                         "set(int n) { a = n; }\n"
                         "void one(int n) { set(n); set(n + 1); }\n");
  scratch_write("two.c", "int b; static void __attribute__((noinline))\n"
                         "set(int n) { b = n; b = n + 1; }\n"
                         "void two(int n) { set(n); set(n + 1); }\n");
  EACH_COMPILER(cc, opt) {
    struct build build = {.cc = cc, .opt = opt};
    struct error e = {0};
    struct object o;
    char *so = NULL;
    vec_push(&build.inputs, "one.c");
    vec_push(&build.inputs, "two.c");
    if (build_shared(&build, "out", &so, &e))
      die("%s", e.text);
    object_open(&o, so);
    make(&o, "one.c", "set", 1, 9);
    uint32_t n = o.r.npcs;
    CHECK(n >= 1);
    make(&o, "two.c", "set", 1, 9);
    CHECK_INT(o.r.npcs, strcmp(opt, "-O0") ? n : 2);
    object_close(&o);
    vec_free(&build.inputs);
    free(so);
  }
}

TEST(several_blocks_have_several_regions) {
  scratch_write("r.c", source);
  char *so = scratch_build("gcc", "-O1", "r.c", NULL);
  struct code_block blocks[] = {{"r.c", "straight", 101, 101},
                                {"r.c", "nowhere", 1, 1000},
                                {"r.c", "straight", 102, 103}};
  struct object o;
  struct regions all;
  struct error e = {0};
  object_open(&o, so);
  CHECK_INT(regions_of_cause(o.flow, (struct cause){blocks, 3}, &o.loops,
                             &o.arena, &all, &e),
            ERR_NONE);
  if (CHECK_INT(all.len, 3)) {
    CHECK_INT(all.at[0].npcs, 1);
    CHECK_INT(all.at[1].npcs, 0);
    CHECK_INT(all.at[2].npcs, 2);
  }
  object_close(&o);
  free(so);
}

TEST_MAIN
