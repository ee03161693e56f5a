/* Locks that follow lines: where each statement says that it is. */
#include "test.h"

#include "source/line_locks.h"

#include <stdlib.h>
#include <string.h>

/* The function of a text with some lines locked; `L(n)` stands for the step to
 * block n, `A(n)` for one that gives the lock back first, `X` for the helper's
 * declaration. */
static char *lock(const char *text, const struct locked_lines *at, uint32_t n) {
  static const char *const words[][2] = {
      {" __attribute__((cleanup(m_end))) int m_held = 0;", "X"},
      {"__extension__({ ", "({ "},
      {"m_at(&m_held, 0, 0); ", "L(0) "},
      {"m_at(&m_held, 1, 0); ", "L(1) "},
      {"m_at(&m_held, 2, 0); ", "L(2) "},
      {"m_at(&m_held, 1, 1); ", "A(1) "},
      {"m_at(&m_held, 2, 1); ", "A(2) "},
  };
  struct ctext c = {0};
  struct edits e = {0};
  struct buf b = {0};
  const char *why = NULL;
  ctext_read(&c, text, strlen(text), NULL, NULL);
  CHECK(c.functions.len == 1);
  CHECK(line_locks_write(&c, &c.functions.at[0], at, n, "m", &e, &why));
  edits_apply(&e, text, strlen(text), &b);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (char *p; (p = strstr(b.at, words[i][0]));) {
      size_t from = strlen(words[i][0]), to = strlen(words[i][1]);
      memmove(p + to, p + from, strlen(p + from) + 1);
      memcpy(p, words[i][1], to);
    }
  edits_free(&e);
  ctext_free(&c);
  return b.at;
}

static void expect(const char *text, struct locked_lines l, const char *want) {
  char *got = lock(text, &l, 1);
  CHECK_STR(got, want);
  free(got);
}

TEST(a_line_is_left_where_the_next_begins) {
  expect("int f(void) {\n  a();\n  b();\n  return c;\n}\n", //
         (struct locked_lines){.first = 3, .last = 3},
         "int f(void) {X\n  L(0) a();\n  L(1) b();\n  L(0) return c;\n}\n");
}

TEST(a_condition_and_a_part_of_what_follows) {
  expect("void f(void) {\n  if (x) {\n    a();\n    b();\n  } else\n    d();\n"
         "}\n",
         (struct locked_lines){.first = 2, .last = 3},
         "void f(void) {X\n  if (({ L(1) x; })) {\n    L(1) a();\n    L(0) "
         "b();\n  } else\n    { L(0) d(); }\n}\n");
}

TEST(a_line_of_a_loop_is_left_in_its_condition) {
  expect("void f(void) {\n  while (x)\n    a();\n}\n",
         (struct locked_lines){.first = 3, .last = 3},
         "void f(void) {X\n  while (({ L(0) x; }))\n    { L(1) a(); }\n}\n");
}

TEST(a_whole_loop_is_not_left) {
  expect("void f(void) {\n  for (int i = 0; i < n; i++)\n    a(i);\n}\n",
         (struct locked_lines){.first = 2, .last = 3},
         "void f(void) {X\n  L(1) for (int i = 0;({ L(1)  i < n; });({ L(1)  "
         "i++; }))\n    { L(1) a(i); }\n}\n");
}

TEST(a_round_begins_with_the_condition_or_the_body) {
  expect("void f(void) {\n  while (x)\n    a();\n}\n",
         (struct locked_lines){2, 3, false, 2, 3},
         "void f(void) {X\n  while (({ A(1) x; }))\n    { L(1) a(); }\n}\n");
  expect("void f(void) {\n  for (;;) {\n    a();\n    b();\n  }\n}\n",
         (struct locked_lines){3, 4, false, 2, 5},
         "void f(void) {X\n  L(0) for (;;) {\n    A(1) a();\n    L(1) b();\n  "
         "}\n}\n");
  expect("void f(void) {\n  do {\n    a();\n  } while (x);\n}\n",
         (struct locked_lines){3, 4, false, 2, 5},
         "void f(void) {X\n  do {\n    A(1) a();\n  } while (({ L(1) x; "
         "}));\n}\n");
}

TEST(a_loop_in_a_round_of_another_is_whole) {
  expect("void f(void) {\n  for (;;) {\n    while (x)\n      a();\n    b();\n"
         "  }\n}\n",
         (struct locked_lines){3, 4, false, 2, 5},
         "void f(void) {X\n  L(0) for (;;) {\n    while (({ L(1) x; }))\n      "
         "{ L(1) a(); }\n    L(0) b();\n  }\n}\n");
}

TEST(a_lock_on_the_same_line_is_left_alone) {
  expect("void f(void) {\n  lock(&m); n++; unlock(&m);\n}\n",
         (struct locked_lines){.first = 2, .last = 2, .again = true},
         "void f(void) {X\n  L(0) lock(&m); A(1) n++; L(0) unlock(&m);\n}\n");
}

TEST(the_first_block_wins) {
  struct locked_lines at[] = {{.first = 3, .last = 3},
                              {.first = 2, .last = 4, .again = true}};
  char *got =
      lock("void f(void) {\n  a();\n  b();\n  while (x)\n    ;\n}\n", at, 2);
  CHECK_STR(got, "void f(void) {X\n  A(2) a();\n  L(1) b();\n  while "
                 "(({ A(2) x; }))\n    ;\n}\n");
  free(got);
}

TEST_MAIN
