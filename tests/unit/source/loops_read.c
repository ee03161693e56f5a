/* Loops in C text, and the order of positions in a round. */
#include "test.h"

#include "base/buf.h"
#include "base/rng.h"
#include "source/loops_read.h"

#include <stdlib.h>

static struct loops_file now;

static void read_loops(const char *source) {
  vec_free(&now.loops);
  free(now.begins);
  now = (struct loops_file){0};
  loops_read_text(&now, source, strlen(source));
  loops_check_invariants(&now);
}

/* "2-5 3-4": the lines of all loops. */
static const char *loops_in(const char *source) {
  static struct buf out;
  buf_clear(&out);
  read_loops(source);
  for (uint32_t i = 0; i < now.loops.len; i++)
    buf_printf(&out, "%s%u-%u", i ? " " : "", now.loops.at[i].first,
               now.loops.at[i].last);
  return buf_text(&out);
}

TEST(finds_loops_of_all_kinds) {
  CHECK_STR(loops_in("void f(void) {\n for (;;) {\n  g();\n }\n}\n"), "2-4");
  CHECK_STR(loops_in("void f(void) {\n while (x)\n  g();\n h();\n}\n"), "2-3");
  CHECK_STR(
      loops_in("void f(void) {\n do {\n  g();\n } while (x);\n h();\n}\n"),
      "2-4");
  CHECK_STR(loops_in("void f(void) {\n do\n  g();\n while (x);\n h();\n}\n"),
            "2-4");
  CHECK_STR(loops_in("void f(void) {\n while (x)\n  ;\n g();\n}\n"), "2-3");
  CHECK_STR(
      loops_in("void f(void) {\n LIST_FOREACH(a, b, c) {\n  g();\n }\n}\n"),
      "2-4");
  CHECK_STR(
      loops_in("void f(void) {\nagain:\n g();\n if (x)\n  goto again;\n}\n"),
      "2-5");
}

TEST(finds_no_loop_where_there_is_none) {
  CHECK_STR(loops_in("void f(void) {\n if (x)\n  g();\n}\n"), "");
  CHECK_STR(loops_in("void f(void) {\n if (x)\n  goto out;\nout:\n g();\n}\n"),
            "");
  CHECK_STR(loops_in("void f(void) {\nout:\n g();\n}\nvoid h(void) {\n"
                     " goto out;\nout:\n g();\n}\n"),
            "");
  CHECK_STR(loops_in("/* for (;;) { */\nvoid f(void) { g(\"while (x)\"); }\n"),
            "");
}

/* A label and a goto that may not be compiled together are no loop. */
TEST(conditions_of_the_preprocessor_are_minded) {
  CHECK_STR(loops_in("void f(void) {\n#ifdef A\nagain:\n#endif\n g();\n"
                     "#ifdef A\n goto again;\n#endif\n}\n"),
            "");
  CHECK_STR(loops_in("void f(void) {\n#ifdef A\nagain:\n g();\n goto again;\n"
                     "#endif\n}\n"),
            "3-5");
  CHECK_STR(loops_in("void f(void) {\nagain:\n#if A\n g();\n#else\n h();\n"
                     "#endif\n goto again;\n}\n"),
            "2-8");
}

TEST(nests_loops_and_ends_them_where_their_statement_ends) {
  CHECK_STR(loops_in("void f(void) {\n for (;;)\n  for (;;)\n   if (x)\n"
                     "    g();\n   else\n    h();\n i();\n}\n"),
            "2-7 3-7");
  CHECK_STR(loops_in("void f(void) {\n for (;;) {\n  do {\n   g();\n"
                     "  } while (x);\n  while (y)\n   g();\n }\n}\n"),
            "2-8 3-5 6-7");
  /* A goto out of a loop to before it takes the loop with it. */
  CHECK_STR(loops_in("void f(void) {\nagain:\n for (;;) {\n  if (x)\n"
                     "   goto again;\n  g();\n }\n}\n"),
            "2-7 3-7");
}

TEST(half_a_text_is_no_trouble) {
  static const char whole[] =
      "void f(void) {\n for (a; b; c) {\n  do { if (x) g(); else {h();}\n } "
      "while (x);\nagain: while (y) { goto again; }\n }\n}\n";
  struct rng rng = {1};
  for (uint32_t i = 0; i < 2000; i++) {
    char text[sizeof whole];
    uint32_t n = 0;
    for (uint32_t k = 0; k + 1 < sizeof whole; k++)
      if (rng_below(&rng, 12))
        text[n++] = whole[k];
    text[n] = '\0';
    read_loops(text);
  }
}

/* What is executed later in a round has a larger position. */
TEST(positions_are_the_order_of_a_round) {
  read_loops("void f(void) {\n"
             " for (i = 0; i < n; i++) {\n"
             "  g(a,\n"
             "    b);\n"
             "  h();\n"
             " }\n"
             "}\n");
  uint64_t condition = loops_position(&now, 2, 14),
           step = loops_position(&now, 2, 22);
  CHECK(condition < loops_position(&now, 3, 3));
  CHECK_INT(loops_position(&now, 3, 3), loops_position(&now, 4, 5));
  CHECK(loops_position(&now, 4, 5) < loops_position(&now, 5, 3));
  CHECK(loops_position(&now, 5, 3) < step);
  CHECK_INT(loops_position(&now, 100, 1), 200); /* lines that are not there */
}

TEST(lines_are_widened_until_no_loop_is_cut) {
  read_loops("void f(void) {\n g();\n for (;;) {\n  g();\n  for (;;)\n   g();\n"
             "  g();\n }\n g();\n}\n"); /* 3-8, in it 5-6 */
  static const uint32_t cases[][4] = {{2, 2, 2, 2}, {2, 4, 2, 8}, {4, 4, 4, 4},
                                      {4, 5, 4, 6}, {6, 7, 5, 7}, {6, 6, 6, 6},
                                      {6, 9, 3, 9}, {3, 4, 3, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t first = cases[i][0], last = cases[i][1];
    loops_close(&now, &first, &last);
    CHECK_INT(first, cases[i][2]);
    CHECK_INT(last, cases[i][3]);
  }
  CHECK_INT(loops_around(&now, 6, 6)->first, 5);
  CHECK_INT(loops_around(&now, 5, 6)->first, 5);
  CHECK_INT(loops_beyond(&now, 5, 6)->first, 3);
  CHECK(!loops_around(&now, 2, 3));
}

TEST_MAIN
