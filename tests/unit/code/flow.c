/*
 * Structure trees read from machine code against trees made by hand, gcc and
 * clang.  Where a compiler tests a loop's condition once before the loop and
 * then at its end, the first test stands before the loop.
 */
#include "scratch.h"

#include "code/flow.h"

static const char source[] =
    "#include <assert.h>\n"
    "#include <pthread.h>\n"
    "#include <stdatomic.h>\n"
    "#include <string.h>\n"
    "volatile int a, b, c, d, e;\n"
    "volatile int pair[2];\n"
    "char from[64], to[64];\n"
    "atomic_int top;\n"
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "#define NOINLINE __attribute__((noinline))\n"
    "int nothing(int n) { return n * n; }\n"
    "void straight(void) { a = 1; b = a; c = 2; }\n"
    "void if_only(int n) { a = 1; if (n) b = 1; c = 1; }\n"
    "void if_else(int n) { if (n) { a = 1; b = 2; } else { c = 3; } }\n"
    "void in_if(int n, int k) {\n"
    "  if (n) {\n"
    "    a = 1;\n"
    "    if (k) { b = 1; b = 2; }\n"
    "    c = 3;\n"
    "  } else {\n"
    "    d = 4;\n"
    "  }\n"
    "}\n"
    "void else_if(int n) {\n"
    "  if (n == 1) { a = 1; }\n"
    "  else if (n == 77) { b = 1; b = 2; }\n"
    "  else if (n == 1234567) { c = 1; c = 2; c = 3; }\n"
    "}\n"
    "void both(int n, int k) { if (n && k) { a = 1; b = 1; } c = 1; }\n"
    "void either(int n) {\n"
    "  if (a || b) {\n"
    "    c = 1; c = 2;\n"
    "  }\n"
    "  d = n;\n"
    "}\n"
    "void table(int n) {\n"
    "  switch (n) {\n"
    "  case 0: a = 1; break;\n"
    "  case 1: b = 1; b = 2; break;\n"
    "  case 2: c = 1; c = 2; c = 3; break;\n"
    "  case 3: d = 1; d = 2; d = 3; d = 4; break;\n"
    "  case 4: e = 1; e = 2; e = 3; e = 4; e = 5; break;\n"
    "  case 5: a = 1; a = 2; a = 3; a = 4; a = 5; a = 6; break;\n"
    "  }\n"
    "  b = 9;\n"
    "}\n"
    "void masked(int n) {\n"
    "  switch (n & 3) {\n"
    "  case 0: a = 1; break;\n"
    "  case 1: b = 1; b = 2; break;\n"
    "  case 2: c = 1; c = 2; c = 3; break;\n"
    "  case 3: d = 1; d = 2; d = 3; d = 4; break;\n"
    "  }\n"
    "}\n"
    "void sparse(int n) {\n"
    "  switch (n) {\n"
    "  case 1: a = 1; break;\n"
    "  case 1000: b = 1; b = 2; break;\n"
    "  case 50000: c = 1; c = 2; c = 3; break;\n"
    "  }\n"
    "}\n"
    "void fallthrough(int n) {\n"
    "  switch (n) {\n"
    "  case 3:\n"
    "    a = 1; /* fall through */\n"
    "  case 500:\n"
    "    b = 1; b = 2;\n"
    "    break;\n"
    "  case 9000:\n"
    "    c = 1; c = 2; c = 3; c = 4;\n"
    "  }\n"
    "}\n"
    "void nested(int n) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    a = i;\n"
    "    for (int j = 0; j < n; j++)\n"
    "      b = j;\n"
    "  }\n"
    "}\n"
    "void side_by_side(int n, int k) {\n"
    "  for (int i = 0; i < n; i++) a = i;\n"
    "  c = 1;\n"
    "  for (int i = 0; i < k; i++) b = i;\n"
    "}\n"
    "void while_loop(void) { while (a) { b = 1; } c = 1; }\n"
    "void while_break(int n) {\n"
    "  while (1) {\n"
    "    a = 1;\n"
    "    if (n-- == b)\n"
    "      break;\n"
    "    c = 1;\n"
    "  }\n"
    "  d = 1;\n"
    "}\n"
    "void while_continue(int n) {\n"
    "  do {\n"
    "    if (n & 1)\n"
    "      continue;\n"
    "    b = 1;\n"
    "  } while (a != n--);\n"
    "}\n"
    "int found(int n) {\n"
    "  do {\n"
    "    if (a == n) { b = 1; b = 2; return 1; }\n"
    "    c = 1;\n"
    "  } while (n--);\n"
    "  return 0;\n"
    "}\n"
    "void do_while(void) { do { a = 1; b = 1; } while (c); }\n"
    "int early(void) { if (!a) return 0; b = 1; b = 2; return 1; }\n"
    "void again(void) {\n"
    "  int x;\n"
    "retry:\n"
    "  x = a;\n"
    "  if (b != x)\n"
    "    goto retry;\n"
    "  c = 1;\n"
    "}\n"
    "void cleanup(void) {\n"
    "  if (a)\n"
    "    goto out;\n"
    "  b = 1;\n"
    "  if (c)\n"
    "    goto out;\n"
    "  d = 1; d = 2; d = 3;\n"
    "out:\n"
    "  e = 0;\n"
    "}\n"
    "void into_loop(int n) {\n"
    "  if (n)\n"
    "    goto in;\n"
    "  for (;;) {\n"
    "    a = 1; a = 2; a = 3; a = 4; a = 5;\n"
    "  in:\n"
    "    b = 1; b = 2; b = 3; b = 4; b = 5;\n"
    "    if (c)\n"
    "      break;\n"
    "  }\n"
    "}\n"
    "static NOINLINE void helper(void) { a = 1; b = 1; }\n"
    "NOINLINE void looping(int n) { for (int i = 0; i < n; i++) a = i; }\n"
    "void calls(int n) { helper(); c = 1; looping(n); helper(); }\n"
    "void tail(int n) { c = 1; looping(n); }\n"
    "void through(void (*f)(void)) { a = 1; f(); b = 1; }\n"
    "NOINLINE int down(int n) { a = 1; if (n) d = down(n - 1); b = 1; return "
    "n; "
    "}\n"
    "int odd(int n);\n"
    "NOINLINE int even(int n) { a = 1; return n ? odd(n - 1) + 1 : 1; }\n"
    "NOINLINE int odd(int n) { b = 1; b = 2; return n ? even(n - 1) + 2 : 0; "
    "}\n"
    "void sure(int n) { assert(n == 3); a = 1; b = 1; }\n"
    "void locked(void) {\n"
    "  pthread_mutex_lock(&m);\n"
    "  a = 1;\n"
    "  pthread_mutex_unlock(&m);\n"
    "}\n"
    "void copies(int n) { memcpy(to, from, n); }\n"
    "void push(int v) {\n"
    "  int old = atomic_load(&top);\n"
    "  while (!atomic_compare_exchange_strong(&top, &old, v))\n"
    "    ;\n"
    "}\n"
    "void write_pair(int i, int v) { pair[i] = v; }\n"
    "struct node { int val; struct node *next; } *head;\n"
    "int add(int k, struct node *n) {\n"
    "  struct node *pred = head, *curr = pred->next;\n"
    "  while (curr->val < k) { pred = curr; curr = curr->next; }\n"
    "  if (curr->val == k)\n"
    "    return 0;\n"
    "  pthread_mutex_lock(&m);\n"
    "  pred->next = n;\n"
    "  pthread_mutex_unlock(&m);\n"
    "  return 1;\n"
    "}\n"
    "int read_pair(void) {\n"
    "  for (;;) {\n"
    "    int x = pair[0], y = pair[1];\n"
    "    if (x == pair[0])\n"
    "      return 10 * x + y;\n"
    "  }\n"
    "}\n";

enum { THETA = 3 }; /* rounds of loops whose code does not tell */

static const struct want {
  const char *function, *tree;
  uint32_t sum;      /* with theta 3 */
  const char *other; /* as well: the condition is tested before, too */
  uint32_t other_sum;
} wanted[] = {
    {"nothing", "R()", 0},
    {"straight", "R(S4)", 4},
    {"if_only", "R(S1 C(B(S1)) S1)", 3},
    {"if_else", "R(C(B(S2) B(S1)))", 2},
    {"in_if", "R(C(B(S1 C(B(S2)) S1) B(S1)))", 4},
    {"else_if", "R(C(B(S1) B(S2) B(S3)))", 3},
    {"both", "R(C(B(S2)) S1)", 3},
    /* c's line stands in both branches: behind b, and behind a alone */
    {"either", "R(S1 C(B(S1 C(B(S2))) B(S2)) S1)", 5},
    {"table", "R(C(B(S1) B(S2) B(S3) B(S4) B(S5) B(S6)) S1)", 7},
    {"masked", "R(C(B(S1) B(S2) B(S3) B(S4)))", 4},
    {"sparse", "R(C(B(S1) B(S2) B(S3)))", 3},
    {"fallthrough", "R(C(B(S3) B(S2) B(S4)))", 4},
    {"nested", "R(L(S1 L(S1)))", 12},
    {"side_by_side", "R(L(S1) S1 L(S1))", 7},
    {"while_loop", "R(L(S2) S1)", 7, "R(S1 L(S2) S1)", 8},
    {"while_break", "R(L(S3) S1)", 10, "R(S2 L(S3) S1)", 12},
    {"while_continue", "R(L(C(B(S1)) S1))", 6},
    {"found", "R(L(S2) C(B(S2)))", 8},
    {"do_while", "R(L(S3))", 9},
    {"early", "R(S1 C(B(S2)))", 3},
    {"again", "R(L(S2) S1)", 7},
    {"cleanup", "R(S1 C(B(S2 C(B(S3)))) S1)", 7},
    {"into_loop", "R(L(S11))", 33},
    {"looping", "R(L(S1))", 3},
    {"calls", "R(S3 L(S1) S2)", 8},
    {"tail", "R(S1 L(S1))", 4},
    {"through", "R(S2)", 2},
    {"down", "R(S1 C(B(S1)) S1)", 3},
    {"even", "R(S1 C(B(S2)))", 3},
    {"sure", "R(S2)", 2},
    {"locked", "R(S3)", 3},
    {"copies", "R(S2)", 2},
    {"push", "R(S1 L(S1))", 4, "R(S2 L(S1))", 5},
    /* Figure 6 of the CGVT paper: write and read of Figure 1, add of Figure 3
     */
    {"write_pair", "R(S1)", 1},
    {"add", "R(S3 L(S2) C(B(S3)))", 12, "R(S1 L(S2) C(B(S3)))", 10},
    {"read_pair", "R(L(S3))", 9},
};

static void check_one(struct flow *f, const struct want *w, const char *cc) {
  struct flow_tree t;
  struct buf text = {0};
  uint64_t entry = flow_find(f, w->function);
  if (!CHECK(entry) || !CHECK(flow_tree_of(f, entry, &t))) {
    fprintf(stderr, "  %s, %s\n", cc, w->function);
    return;
  }
  flow_check_invariants(&t);
  flow_brief(&t, &text);
  bool other = w->other && !strcmp(buf_text(&text), w->other);
  if (!CHECK_STR(buf_text(&text), other ? w->other : w->tree) |
      !CHECK_INT(flow_sum(&t, THETA), other ? w->other_sum : w->sum))
    fprintf(stderr, "  %s, %s\n", cc, w->function);
  CHECK_INT(t.recursion,
            !strcmp(w->function, "down") || !strcmp(w->function, "even"));
  CHECK_INT(t.indirect, !strcmp(w->function, "through"));
  CHECK(!t.unknown && !t.truncated);
  bool irregular = false;
  for (uint32_t i = 0; i < t.nodes.len; i++)
    irregular |= t.nodes.at[i].irregular;
  CHECK_INT(irregular, !strcmp(w->function, "into_loop"));
  flow_tree_free(&t);
  buf_free(&text);
}

static struct flow *open_with(const char *cc, struct lines **l) {
  struct error error = {0};
  scratch_write("flow.c", source);
  char *so = scratch_build(cc, "-O1", "flow.c", NULL);
  if (!so)
    return NULL;
  *l = scratch_lines(so);
  free(so);
  struct flow *f = flow_open(*l, &error);
  if (!f)
    fprintf(stderr, "%s\n", error.text);
  return f;
}

static void all_trees(const char *cc) {
  struct lines *l;
  struct flow *f = scratch_has(cc) ? open_with(cc, &l) : NULL;
  if (!CHECK(f != NULL))
    return;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    check_one(f, &wanted[i], cc);
  flow_close(f);
  lines_close(l);
}

TEST(trees_of_gcc_are_those_made_by_hand) { all_trees("gcc"); }
TEST(trees_of_clang_are_those_made_by_hand) { all_trees("clang"); }

/* gcc moves what is unlikely out of the function at -O2. */
TEST(cold_parts_belong_to_their_function) {
  struct error error = {0};
  struct flow_tree t;
  struct buf text = {0};
  scratch_write("cold.c", "volatile int a, b;\n"
                          "void __attribute__((cold, noinline)) rare(void) {\n"
                          "  b = 1; b = 2; b = 3;\n"
                          "}\n"
                          "int f(int n) {\n"
                          "  a = 1;\n"
                          "  if (n) { rare(); b = 4; }\n"
                          "  return a;\n"
                          "}\n");
  char *so = scratch_build("gcc", "-O2", "cold.c", NULL);
  if (!CHECK(so != NULL))
    return;
  struct lines *l = scratch_lines(so);
  struct flow *f = flow_open(l, &error);
  CHECK(flow_find(f, "f.cold") != 0); /* else this tests nothing */
  CHECK(flow_tree_of(f, flow_find(f, "f"), &t));
  flow_brief(&t, &text);
  CHECK_STR(buf_text(&text), "R(S1 C(B(S4)) S1)");
  flow_tree_free(&t);
  buf_free(&text);
  flow_close(f);
  lines_close(l);
  free(so);
}

TEST(a_tree_is_printed_with_lines_and_sums) {
  struct lines *l;
  struct flow *f = open_with("gcc", &l);
  struct flow_tree t;
  struct buf text = {0};
  if (!CHECK(f != NULL))
    return;
  CHECK(flow_tree_of(f, flow_find(f, "early"), &t));
  flow_print(&t, l, THETA, &text);
  CHECK_STR(buf_text(&text),
            "root                               3\n"
            "  sequence                         1  flow.c:110\n"
            "  selection                        2  the longest of 1\n"
            "    branch                         2\n"
            "      sequence                     2  flow.c:110\n");
  flow_tree_free(&t);
  buf_clear(&text);
  CHECK(flow_tree_of(f, flow_find(f, "nested"), &t));
  flow_print(&t, l, 5, &text);
  CHECK_HAS(buf_text(&text), "5 times 6, rounds unknown\n");
  CHECK_HAS(buf_text(&text), "5 times 1, rounds unknown\n");
  flow_tree_free(&t);
  CHECK(!flow_tree_of(f, 1, &t));
  CHECK_INT((long long)flow_find(f, "no such function"), 0);
  buf_free(&text);
  flow_close(f);
  lines_close(l);
}

/* All functions of a larger object: every one has a sound tree. */
TEST(trees_of_any_function_hold_their_invariants) {
  static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
  scratch_write("flow.c", source);
  for (size_t c = 0; c < 2; c++)
    for (size_t o = 0; o < 4; o++) {
      struct error error = {0};
      char *so = scratch_build(c ? "clang" : "gcc", levels[o], "flow.c", NULL);
      if (!CHECK(so != NULL))
        continue;
      struct lines *l = scratch_lines(so);
      struct flow *f = flow_open(l, &error);
      for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct flow_tree t;
        if (!CHECK(flow_tree_of(f, flow_find(f, wanted[i].function), &t)))
          continue;
        flow_check_invariants(&t);
        CHECK(!t.truncated);
        CHECK((flow_sum(&t, 3) > 0) == (wanted[i].sum > 0));
        CHECK(flow_sum(&t, 1) <= flow_sum(&t, 3));
        flow_tree_free(&t);
      }
      flow_close(f);
      lines_close(l);
      free(so);
    }
}

TEST_MAIN
