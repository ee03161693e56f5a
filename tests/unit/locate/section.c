/*
 * Segments of recorded executions, made by hand, and the blocks that they
 * become, gcc and clang.
 */
#include "engine.h"
#include "test.h"

#include "locate/section.h"

static const char source[] =
    "#include <faultline.h>\n"
    "#include <string.h>\n"
    "#define NOINLINE __attribute__((noinline))\n"
    "#define ALWAYS static inline __attribute__((always_inline))\n"
    "#define BOTH(x) do { a = x; b = x; } while (0)\n"
    "static volatile int a, b, c, n = 2, items[8];\n"
    "char from[24], to[24];\n"
    "#line 100\n"
    "static void straight(void) {\n"
    "  a = 1;\n" /* 101 */
    "  b = 2;\n"
    "  c = 3;\n"
    "}\n"
    "#line 110\n"
    "static void loop(void) {\n"
    "  for (int i = n; i >= 0; i--) {\n" /* 111 */
    "    int x = items[i];\n"
    "    items[i] = x + 1;\n"
    "  }\n"
    "  c = 4;\n" /* 115 */
    "}\n"
    "#line 120\n"
    "NOINLINE static void helper(int k) {\n"
    "  a = k;\n" /* 121 */
    "  b = k;\n"
    "}\n"
    "#line 130\n"
    "static void twice(void) {\n"
    "  helper(1);\n" /* 131 */
    "  c = 5;\n"
    "  helper(2);\n" /* 133 */
    "}\n"
    "#line 140\n"
    "static void rounds(void) {\n"
    "  for (int i = n; i >= 0; i--)\n"
    "    helper(i);\n" /* 142 */
    "}\n"
    "#line 150\n"
    "ALWAYS void small(int k) {\n"
    "  a = k;\n" /* 151 */
    "  b = k;\n"
    "}\n"
    "#line 160\n"
    "static void inlines(void) {\n"
    "  small(1);\n" /* 161 */
    "  c = 6;\n"
    "  small(2);\n" /* 163 */
    "  small(3);\n"
    "}\n"
    "#line 170\n"
    "static void inlines_in_loop(void) {\n"
    "  for (int i = n; i >= 0; i--)\n"
    "    small(i);\n" /* 172 */
    "}\n"
    "#line 180\n"
    "static void macro(void) {\n"
    "  BOTH(1);\n" /* 181 */
    "  c = 7;\n"
    "}\n"
    "#line 190\n"
    "NOINLINE static int down(int k) {\n"
    "  a = k;\n" /* 191 */
    "  b = k;\n"
    "  int x = k ? down(k - 1) + 1 : 0;\n" /* 193 */
    "  c = x;\n"
    "  return x;\n"
    "}\n"
    "#line 200\n"
    "static void recursion(void) {\n"
    "  down(1);\n"
    "}\n"
    "#line 210\n"
    "static void copies(void) {\n"
    "  a = 8;\n" /* 211 */
    "  memcpy(to, from, sizeof to);\n"
    "  b = 9;\n" /* 213 */
    "}\n"
    "#line 220\n"
    "ALWAYS void outer(int k) {\n"
    "  c = k;\n" /* 221 */
    "  helper(k);\n"
    "}\n"
    "#line 230\n"
    "static void through(void) {\n"
    "  outer(1);\n" /* 231 */
    "  outer(2);\n"
    "}\n"
    "#line 240\n" /* gcc cuts it in two at -O2 */
    "static int split(int k) {\n"
    "  if (a == k)\n" /* 241 */
    "    return 0;\n"
    "  b = k;\n" /* 243 */
    "  for (int i = 0; i < k; i++) {\n"
    "    helper(b + i); c = i; helper(b + k); c += b; helper(c);\n"
    "    helper(c + 2); a = b + c; helper(b); helper(b + 4);\n"
    "    helper(b * c); helper(b - c); }\n"
    "  helper(9); helper(b); helper(c); helper(a); helper(b + c);\n" /* 248 */
    "  c = 3;\n"
    "  return a;\n" /* 250 */
    "}\n"
    "#line 260\n"
    "static void splits(void) {\n"
    "  c = split(1) + 1;\n" /* 261 */
    "  c = split(2) * 3;\n"
    "}\n"
    "int more(int k) { return split(k) + 1; }\n"
    "int yet_more(int k) { return split(k + 2) * 3; }\n"
    "#line 270\n" /* the second part stays a function of its own */
    "static int parted(int k) {\n"
    "  if (a == k)\n" /* 271 */
    "    return 0;\n"
    "  b = k;\n" /* 273 */
    "  for (int i = 0; i < k; i++) {\n"
    "    helper(b + i); c = i; helper(b + k); c += b; helper(c);\n"
    "    helper(c + 2); n = b + c; helper(n); helper(n + 4);\n"
    "    helper(n * c); }\n"
    "  helper(9); helper(b); helper(c); helper(n); helper(b + c);\n" /* 278 */
    "  c = 3;\n"
    "  return n;\n" /* 280 */
    "}\n"
    "int one(int k) { return parted(k) + 1; }\n"
    "int two(int k) { return parted(k + 2) * 3; }\n"
    "#line 290\n"
    "int three(void) { return parted(3) * 5; }\n"
    "#line 300\n"
    "static void nothing(void) { c = 0; }\n"
    "FL_OBJECT(object)\n"
    "FL_OP(void, straight)\nFL_OP(void, loop)\nFL_OP(void, twice)\n"
    "FL_OP(void, rounds)\nFL_OP(void, inlines)\n"
    "FL_OP(void, inlines_in_loop)\nFL_OP(void, macro)\n"
    "FL_OP(void, recursion)\nFL_OP(void, copies)\nFL_OP(void, through)\n"
    "FL_OP(void, splits)\nFL_OP(int, three)\n"
    "FL_OP(void, nothing)\n";

/* One operation, recorded. */
static struct {
  struct lines *lines;
  struct scopes *scopes;
  struct trace trace;
  struct conflicts c;
  struct section_trace s;
  struct arena arena;
  const char *file;
} it;

static void run(const char *operation) {
  struct client c;
  struct accesses accesses = {0};
  char text[64];
  snprintf(text, sizeof text, "{%s()} || {nothing()}", operation);
  engine_client(&c, text);
  if (!CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE))
    die("%s", text);
  section_trace_free(&it.s);
  conflicts_free(&it.c);
  arena_reset(&it.arena);
  engine_record_path(NULL, 0, &it.arena, &it.trace, NULL);
  accesses_from_trace(&it.trace, &accesses);
  conflicts_init(&it.c, accesses.at, accesses.len, 0);
  section_trace_init(&it.s, it.scopes, &it.trace, &it.c);
  section_trace_check_invariants(&it.s);
  vec_free(&accesses);
}

/* The nth access, from 0, that is written on a line. */
static uint32_t node(uint32_t line, uint32_t nth) {
  for (uint32_t i = 0; i < it.c.nnodes; i++) {
    const struct event *e = &it.trace.events[it.c.nodes[i].event];
    if (lines_place(it.lines, e->pc - 1)->line == line && !nth--)
      return i;
  }
  fprintf(stderr, "no access on line %u\n", line);
  test_errors++;
  return 0;
}

static void check(const char *file, int line, uint32_t from, uint32_t nth_from,
                  uint32_t to, uint32_t nth_to, const char *want) {
  struct segment g = {node(from, nth_from), node(to, nth_to)};
  struct code_block block = {0};
  char have[64] = "none";
  if (section_block(&it.s, g, &block))
    snprintf(have, sizeof have, "%s %u-%u", block.function, block.first,
             block.last);
  test_str(file, line, have, want, "block");
  if (block.file)
    CHECK_STR(block.file, it.file);
}
#define BLOCK(from, nth_from, to, nth_to, want)                                \
  check(__FILE__, __LINE__, from, nth_from, to, nth_to, want)

static void blocks_of_one_function(void) {
  run("straight");
  BLOCK(101, 0, 102, 0, "straight 101-102");
  BLOCK(101, 0, 103, 0, "straight 101-103");
  run("loop");
  BLOCK(112, 0, 113, 0, "loop 112-113");
  BLOCK(113, 0, 112, 1, "loop 112-113");
  BLOCK(113, 1, 113, 2, "loop 112-113");
  BLOCK(111, 0, 112, 0, "loop 111-112");
  BLOCK(113, 2, 115, 0, "loop 113-115");
  BLOCK(113, 1, 115, 0, "loop 112-115");
  run("macro");
  BLOCK(181, 0, 181, 1, "macro 181-181");
  BLOCK(181, 1, 182, 0, "macro 181-182");
  run("copies");
  BLOCK(211, 0, 212, 0, "copies 211-212");
  BLOCK(212, 0, 212, 1, "copies 212-212");
  BLOCK(212, 0, 213, 0, "copies 212-213");
}

static void blocks_of_callers_and_callees(void) {
  run("twice");
  BLOCK(121, 0, 122, 0, "helper 121-122");
  BLOCK(121, 1, 122, 1, "helper 121-122");
  BLOCK(121, 0, 132, 0, "twice 131-132");
  BLOCK(122, 0, 121, 1, "twice 131-133");
  BLOCK(132, 0, 122, 1, "twice 132-133");
  run("rounds");
  BLOCK(121, 1, 122, 1, "helper 121-122");
  BLOCK(122, 0, 121, 1, "rounds 142-142");
  BLOCK(121, 0, 121, 1, "rounds 142-142");
  BLOCK(141, 0, 122, 0, "rounds 141-142");
}

static void blocks_of_inlined_functions(void) {
  run("inlines");
  BLOCK(151, 0, 152, 0, "small 151-152");
  BLOCK(151, 1, 152, 1, "small 151-152");
  BLOCK(151, 0, 162, 0, "inlines 161-162");
  BLOCK(152, 0, 151, 1, "inlines 161-163");
  BLOCK(152, 1, 151, 2, "inlines 163-164");
  run("inlines_in_loop");
  BLOCK(151, 1, 152, 1, "small 151-152");
  BLOCK(152, 0, 151, 1, "inlines_in_loop 172-172");
  BLOCK(151, 0, 151, 2, "inlines_in_loop 172-172");
  run("through");
  BLOCK(221, 0, 121, 0, "outer 221-222");
  BLOCK(121, 0, 122, 0, "helper 121-122");
  BLOCK(121, 0, 221, 1, "through 231-232");
}

static void blocks_of_functions_in_two_parts(void) {
  run("splits");
  BLOCK(241, 0, 243, 0, "split 241-243");
  BLOCK(241, 0, 249, 0, "split 241-249");
  BLOCK(243, 0, 250, 0, "split 243-250");
  BLOCK(249, 0, 250, 0, "split 249-250");
  BLOCK(243, 0, 241, 1, "splits 261-262");
  run("three");
  BLOCK(271, 0, 273, 0, "parted 271-273");
  BLOCK(271, 0, 279, 0, "parted 271-279");
  BLOCK(273, 0, 280, 0, "parted 273-280");
  BLOCK(279, 0, 280, 0, "parted 279-280");
}

static void blocks_of_recursive_functions(void) {
  run("recursion");
  BLOCK(191, 0, 192, 0, "down 191-192");
  BLOCK(192, 0, 191, 1, "down 192-193");
  BLOCK(191, 1, 194, 0, "down 191-194");
  BLOCK(194, 0, 194, 1, "down 193-194");
  BLOCK(191, 0, 194, 1, "down 191-194");
}

static uint32_t in_units(const uint32_t *unit, uint32_t *inside) {
  uint32_t n = 0, before = UNIT_ALONE;
  *inside = 0;
  for (uint32_t i = 0; i < it.c.nnodes; i++) {
    uint32_t u = unit[it.c.by_thread[i]];
    n += u != UNIT_ALONE && u != before;
    *inside += u != UNIT_ALONE;
    before = u;
  }
  return n;
}

/* How many executions of a block there are, and accesses in them. */
static void executions(int line, const char *function, uint32_t first,
                       uint32_t last, uint32_t want, uint32_t accesses) {
  struct code_block block = {it.file, function, first, last};
  struct rank_trace t = {&it.c, &it.s};
  uint32_t unit[256], inside;
  assert(it.c.nnodes <= 256);
  section_units(NULL, (struct cause){&block, 1}, &t, unit);
  test_int(__FILE__, line, in_units(unit, &inside), want, "executions");
  test_int(__FILE__, line, inside, accesses, "accesses");
}
#define EXECUTIONS(function, first, last, want, accesses)                      \
  executions(__LINE__, function, first, last, want, accesses)

static void executions_of_blocks(void) {
  run("loop");
  EXECUTIONS("loop", 112, 113, 1, 6); /* a run, whatever the order of lines */
  EXECUTIONS("loop", 113, 113, 3, 3);
  EXECUTIONS("other", 112, 113, 0, 0);
  run("twice");
  EXECUTIONS("helper", 121, 122, 2, 4);
  EXECUTIONS("twice", 131, 132, 1, 3);
  EXECUTIONS("twice", 131, 133, 1, 5);
  run("rounds");
  EXECUTIONS("helper", 121, 122, 3, 6);
  EXECUTIONS("rounds", 142, 142, 1, 6);
  run("inlines");
  EXECUTIONS("small", 151, 152, 3, 6);
  EXECUTIONS("inlines", 163, 164, 1, 4);
  run("inlines_in_loop");
  EXECUTIONS("small", 151, 152, 3, 6);
  run("recursion");
  EXECUTIONS("down", 191, 192, 2, 4);
  EXECUTIONS("down", 191, 194, 1, 6); /* the inner one lies in the outer */
}

static const char *what;

static void body(void *so) {
  struct error e = {0};
  engine_open(so, NULL);
  it.lines = lines_open(so, &e);
  struct flow *flow = it.lines ? flow_open(it.lines, &e) : NULL;
  if (!CHECK(flow))
    return;
  it.scopes = scopes_open(it.lines, flow);
  blocks_of_one_function();
  blocks_of_callers_and_callees();
  blocks_of_inlined_functions();
  blocks_of_functions_in_two_parts();
  blocks_of_recursive_functions();
  executions_of_blocks();
  if (test_errors)
    fprintf(stderr, "with %s\n", what);
}

TEST(segments_become_blocks_of_the_functions_that_hold_them) {
  scratch_write("object.c", source);
  EACH_COMPILER(cc, opt) {
    char name[32];
    if (!strcmp(opt, "-O3"))
      continue;
    snprintf(name, sizeof name, "%s %s", cc, opt);
    what = name;
    it.file = "object.c";
    engine_cc = cc;
    char *so = engine_build_file("object.c", opt);
    engine_child(body, so);
    free(so);
  }
}

TEST_MAIN
