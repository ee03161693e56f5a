/* Critical sections put into texts, and locks moved in them. */
#include "test.h"

#include "source/critical.h"

#include <stdlib.h>

static struct ctext text;
static struct edits edits;
static struct buf out, what;
static const char *why;

static const struct cfunction *open_text(const char *source,
                                         const char *function) {
  ctext_free(&text);
  edits_free(&edits);
  buf_free(&out);
  buf_free(&what);
  why = NULL;
  ctext_read(&text, source, strlen(source), NULL, NULL);
  ctext_check_invariants(&text);
  for (uint32_t i = 0; i < text.functions.len; i++)
    if (ctext_is(&text, text.functions.at[i].name, function))
      return &text.functions.at[i];
  return NULL;
}

/* The source with L and U around the lines of f(); or why not, in brackets. */
static const char *wrap(const char *source, uint32_t first, uint32_t last) {
  struct cregion r;
  const struct cfunction *f = open_text(source, "f");
  if (CHECK(f != NULL) && cregion_of_lines(&text, f, first, last, &r, &why) &&
      critical_wrap(&text, &r, "L;", "U;", &edits, &why))
    edits_apply(&edits, source, strlen(source), &out);
  else
    buf_printf(&out, "[%s]", why);
  return buf_text(&out);
}

static const char *widen(const char *source, uint32_t first, uint32_t last) {
  struct cregion r;
  const struct cfunction *f = open_text(source, "f");
  if (CHECK(f != NULL) && cregion_of_lines(&text, f, first, last, &r, &why) &&
      critical_widen(&text, &r, 0, &edits, &what, &why))
    edits_apply(&edits, source, strlen(source), &out);
  else
    buf_printf(&out, "[%s]", why ? why : "no lock");
  return buf_text(&out);
}

TEST(wraps_a_run_of_statements) {
  CHECK_STR(wrap("int f(void) {\n"
                 "  int x = g;\n"
                 "  g = 0; /* clear */\n"
                 "  return x;\n"
                 "}\n",
                 2, 3),
            "int f(void) {\n"
            "  L;\n"
            "  int x = g;\n"
            "  g = 0; /* clear */\n"
            "  U;\n"
            "  return x;\n"
            "}\n");
}

TEST(a_function_of_one_line_becomes_several) {
  CHECK_STR(wrap("static void f(void) { g++; /* race */ }\n", 1, 1),
            "static void f(void) {\n"
            "  L;\n"
            "  g++;\n"
            "  U; /* race */\n"
            "}\n");
  CHECK_STR(wrap("void f(void) {g++;}", 1, 1),
            "void f(void) {\n  L;\n  g++;\n  U;}");
  CHECK_STR(wrap("  int f(void) { if (g) return 1; return 0; }\n", 1, 1),
            "  int f(void) {\n"
            "    L;\n"
            "    if (g) {\n"
            "    U;\n"
            "    return 1; }\n"
            "    U;\n"
            "    return 0;\n"
            "  }\n");
}

TEST(returns_what_was_read_under_the_lock) {
  CHECK_STR(wrap("static struct s *f(void) {\n  return g;\n}\n", 2, 2),
            "static struct s *f(void) {\n"
            "  L;\n"
            "  struct s *result = g;\n"
            "  U;\n"
            "  return result;\n"
            "}\n");
  CHECK_STR(wrap("int result;\nint f(void) { return g; }\n", 2, 2),
            "int result;\n"
            "int f(void) {\n"
            "  L;\n"
            "  int result_2 = g;\n"
            "  U;\n"
            "  return result_2;\n"
            "}\n");
}

TEST(statements_that_share_a_line) {
  CHECK_STR(
      wrap("int f(void) {\n  int x = g; g = 0; h();\n  return x;\n}\n", 2, 2),
      "int f(void) {\n  L;\n  int x = g; g = 0; h();\n  U;\n"
      "  return x;\n}\n");
  CHECK_STR(wrap("void f(int k) {\n  if (k) g++; else h();\n}\n", 2, 2),
            "void f(int k) {\n  L;\n  if (k) g++; else h();\n  U;\n}\n");
}

TEST(gives_the_lock_back_before_every_jump_that_leaves) {
  CHECK_STR(wrap("int f(int k) {\n"
                 "  for (;;) {\n"
                 "    int x = g;\n"
                 "    if (x == k) // found\n"
                 "      return x;\n"
                 "    if (x)\n"
                 "      continue;\n"
                 "    else {\n"
                 "      while (h) {\n"
                 "        if (k) break;\n"
                 "        if (x) return h;\n"
                 "      }\n"
                 "    }\n"
                 "    g = k;\n"
                 "  }\n"
                 "}\n",
                 3, 14),
            "int f(int k) {\n"
            "  for (;;) {\n"
            "    L;\n"
            "    int x = g;\n"
            "    if (x == k) { // found\n"
            "      U;\n"
            "      return x;\n"
            "    }\n"
            "    if (x) {\n"
            "      U;\n"
            "      continue;\n"
            "    }\n"
            "    else {\n"
            "      while (h) {\n"
            "        if (k) break;\n"
            "        if (x) { int result = h; U; return result; }\n"
            "      }\n"
            "    }\n"
            "    g = k;\n"
            "    U;\n"
            "  }\n"
            "}\n");
}

TEST(a_branch_without_braces_gets_them) {
  CHECK_STR(wrap("void f(int k) {\n"
                 "  if (k)\n"
                 "    h();\n"
                 "  else\n"
                 "    g++;\n"
                 "  h();\n"
                 "}\n",
                 5, 5),
            "void f(int k) {\n"
            "  if (k)\n"
            "    h();\n"
            "  else {\n"
            "    L;\n"
            "    g++;\n"
            "    U;\n"
            "  }\n"
            "  h();\n"
            "}\n");
  CHECK_STR(wrap("int f(int k) {\n"
                 "  if (k)\n"
                 "    return g;\n"
                 "  return 0;\n"
                 "}\n",
                 3, 3),
            "int f(int k) {\n"
            "  if (k) {\n"
            "    L;\n"
            "    int result = g;\n"
            "    U;\n"
            "    return result;\n"
            "  }\n"
            "  return 0;\n"
            "}\n");
}

TEST(a_loop_whose_condition_is_meant_is_taken_whole) {
  CHECK_STR(wrap("void f(int k) {\n"
                 "  while (g->x < k)\n"
                 "    g = g->next;\n"
                 "  do {\n"
                 "    k--;\n"
                 "  } while (k);\n"
                 "}\n",
                 2, 2),
            "void f(int k) {\n"
            "  L;\n"
            "  while (g->x < k)\n"
            "    g = g->next;\n"
            "  U;\n"
            "  do {\n"
            "    k--;\n"
            "  } while (k);\n"
            "}\n");
}

TEST(a_case_stays_in_front) {
  CHECK_STR(wrap("int f(int k) {\n"
                 "  switch (k ? 1 : 2) {\n"
                 "  case 1:\n"
                 "    g++;\n"
                 "    break;\n"
                 "  default:\n"
                 "    return g;\n"
                 "  }\n"
                 "  return 0;\n"
                 "}\n",
                 3, 5),
            "int f(int k) {\n"
            "  switch (k ? 1 : 2) {\n"
            "  case 1:\n"
            "    L;\n"
            "    g++;\n"
            "    U;\n"
            "    break;\n"
            "  default:\n"
            "    return g;\n"
            "  }\n"
            "  return 0;\n"
            "}\n");
  CHECK_STR(wrap("int f(int k) {\n"
                 "  switch (k) {\n"
                 "  case 1:\n"
                 "    g++;\n"
                 "  case 2:\n"
                 "    g++;\n"
                 "  }\n"
                 "}\n",
                 4, 6),
            "[a jump leads into these lines]");
  CHECK_STR(wrap("int f(int k) {\n"
                 "  switch (k) {\n"
                 "  default:\n"
                 "    return g;\n"
                 "  }\n"
                 "}\n",
                 4, 4),
            "int f(int k) {\n"
            "  switch (k) {\n"
            "  default: {\n"
            "    L;\n"
            "    int result = g;\n"
            "    U;\n"
            "    return result;\n"
            "  }\n"
            "  }\n"
            "}\n");
}

TEST(gotos_are_followed) {
  static const char back[] = "int f(int k) {\n"
                             "again:\n"
                             "  if (g)\n"
                             "    goto again;\n"
                             "  g = k;\n"
                             "  return 0;\n"
                             "}\n";
  CHECK_STR(wrap(back, 3, 5), "int f(int k) {\n"
                              "again:\n"
                              "  L;\n"
                              "  if (g) {\n"
                              "    U;\n"
                              "    goto again;\n"
                              "  }\n"
                              "  g = k;\n"
                              "  U;\n"
                              "  return 0;\n"
                              "}\n");
  CHECK_STR(wrap("int f(int k) {\n"
                 "  if (k)\n"
                 "    goto in;\n"
                 "  g = k;\n"
                 "in:\n"
                 "  g++;\n"
                 "  return 0;\n"
                 "}\n",
                 4, 6),
            "[a jump leads into these lines]");
}

TEST(macros_that_are_statements_are_left_alone) {
  CHECK_STR(
      wrap("void f(void) {\n  FOR_EACH(x, l) {\n    g++;\n  }\n}\n", 3, 3),
      "[it has a macro that stands for a statement]");
  CHECK_STR(wrap("void f(void) {\n  WITH(x)\n  g++;\n}\n", 3, 3),
            "[it has a macro that stands for a statement]");
}

TEST(comments_strings_and_continued_lines_are_not_code) {
  CHECK_STR(wrap("#define X }\\\n  { return\n"
                 "void f(void) {\n"
                 "  h(\"} return; \\\" {\", '}', '\\'', L\"x\");\n"
                 "  /* return; } */ g++; // } return \\\n"
                 "  still a comment }\n"
                 "  g--;\n"
                 "}\n",
                 5, 7),
            "#define X }\\\n  { return\n"
            "void f(void) {\n"
            "  h(\"} return; \\\" {\", '}', '\\'', L\"x\");\n"
            "  /* return; } */ L; g++; // } return \\\n"
            "  still a comment }\n"
            "  g--; U;\n"
            "}\n");
}

TEST(line_ends_stay_as_they_are) {
  CHECK_STR(wrap("void f(void) {\r\n  g++;\r\n}\r\n", 2, 2),
            "void f(void) {\r\n  L;\r\n  g++;\r\n  U;\r\n}\r\n");
}

TEST(regions_that_touch_become_one) {
  static const char source[] = "void f(void) {\n"
                               "  a();\n"
                               "  b();\n"
                               "  if (x) {\n"
                               "    c();\n"
                               "  }\n"
                               "  d();\n"
                               "}\n";
  const struct cfunction *f = open_text(source, "f");
  struct cregion r[4];
  static const uint32_t line[] = {7, 5, 2, 3};
  for (uint32_t i = 0; i < 4; i++)
    CHECK(cregion_of_lines(&text, f, line[i], line[i], &r[i], &why));
  CHECK_INT(cregions_merge(&text, r, 4), 3);
  CHECK_INT(cstmt_first_line(&text, r[0].first), 2);
  CHECK_INT(cstmt_last_line(&text, r[0].last), 3);
  CHECK_INT(cstmt_first_line(&text, r[1].first), 5);
  CHECK(cregion_loop(&text, &r[1]) == false);
  CHECK(cregion_body(&text, f, &r[3]));
  CHECK_INT(cregions_merge(&text, r, 4), 1);
}

/* ---- locks that are there ---- */

TEST(takes_a_lock_earlier) {
  CHECK_STR(widen("static bool f(struct list *l, int k) {\n"
                  "  pred = l->head;\n"
                  "  curr = pred->next;\n"
                  "  if (curr->val == k) /* S2 */\n"
                  "    return false;\n"
                  "  pthread_mutex_lock(&l->lock);\n"
                  "  pred->next = n;\n"
                  "  pthread_mutex_unlock(&l->lock);\n"
                  "  return true;\n"
                  "}\n",
                  3, 7),
            "static bool f(struct list *l, int k) {\n"
            "  pred = l->head;\n"
            "  pthread_mutex_lock(&l->lock);\n"
            "  curr = pred->next;\n"
            "  if (curr->val == k) { /* S2 */\n"
            "    pthread_mutex_unlock(&l->lock);\n"
            "    return false;\n"
            "  }\n"
            "  pred->next = n;\n"
            "  pthread_mutex_unlock(&l->lock);\n"
            "  return true;\n"
            "}\n");
  CHECK_STR(buf_text(&what),
            "takes pthread_mutex_lock(&l->lock) of line 6 before line 3");
}

TEST(gives_a_lock_back_later) {
  CHECK_STR(widen("int f(int k) {\n"
                  "  lock(m);\n"
                  "  int x = g;\n"
                  "  unlock(m);\n"
                  "  if (x == k)\n"
                  "    return x;\n"
                  "  g = x + 1;\n"
                  "  return 0;\n"
                  "}\n",
                  3, 7),
            "int f(int k) {\n"
            "  lock(m);\n"
            "  int x = g;\n"
            "  if (x == k) {\n"
            "    unlock(m);\n"
            "    return x;\n"
            "  }\n"
            "  g = x + 1;\n"
            "  unlock(m);\n"
            "  return 0;\n"
            "}\n");
}

TEST(two_sections_become_one) {
  CHECK_STR(widen("int f(int k) {\n"
                  "  m_acquire(m);\n"
                  "  int x = g;\n"
                  "  m_release(m); /* why */\n"
                  "  if (x == k)\n"
                  "    goto out;\n"
                  "  m_acquire(m);\n"
                  "  if (h)\n"
                  "    { m_release(m); return 1; }\n"
                  "  g = x + 1;\n"
                  "  m_release(m);\n"
                  "out:\n"
                  "  return 0;\n"
                  "}\n",
                  3, 10),
            "int f(int k) {\n"
            "  m_acquire(m);\n"
            "  int x = g;\n"
            "   /* why */\n"
            "  if (x == k) {\n"
            "    m_release(m);\n"
            "    goto out;\n"
            "  }\n"
            "  if (h)\n"
            "    { m_release(m); return 1; }\n"
            "  g = x + 1;\n"
            "  m_release(m);\n"
            "out:\n"
            "  return 0;\n"
            "}\n");
}

TEST(a_section_may_end_in_its_branches_only) {
  CHECK_STR(widen("int f(int k) {\n"
                  "  int x = g;\n"
                  "  lock(m);\n"
                  "  if (x) {\n"
                  "    unlock(m);\n"
                  "    return 1;\n"
                  "  }\n"
                  "  g = 0;\n"
                  "  { unlock(m); return 0; }\n"
                  "}\n",
                  2, 8),
            "int f(int k) {\n"
            "  lock(m);\n"
            "  int x = g;\n"
            "  if (x) {\n"
            "    unlock(m);\n"
            "    return 1;\n"
            "  }\n"
            "  g = 0;\n"
            "  { unlock(m); return 0; }\n"
            "}\n");
}

TEST(a_lock_stays_behind_what_it_depends_on) {
  CHECK_STR(widen("void f(struct node *n) {\n"
                  "  int x = n->x;\n"
                  "  n = n->next;\n"
                  "  lock(n);\n"
                  "  n->x = x;\n"
                  "  unlock(n);\n"
                  "}\n",
                  2, 5),
            "[what is locked changes before the lock is taken]");
}

TEST(gives_a_lock_of_a_member_back_later) {
  CHECK_STR(widen("void f(struct queue *q, struct node *n) {\n"
                  "  pthread_mutex_lock(&q->lock);\n"
                  "  struct node *t = q->tail;\n"
                  "  q->tail = n;\n"
                  "  pthread_mutex_unlock(&q->lock);\n"
                  "  t->next = n;\n"
                  "}\n",
                  4, 6),
            "void f(struct queue *q, struct node *n) {\n"
            "  pthread_mutex_lock(&q->lock);\n"
            "  struct node *t = q->tail;\n"
            "  q->tail = n;\n"
            "  t->next = n;\n"
            "  pthread_mutex_unlock(&q->lock);\n"
            "}\n");
  CHECK_STR(widen("void f(struct queue *q, struct node *n) {\n"
                  "  pthread_mutex_lock(&q->lock);\n"
                  "  g = n;\n"
                  "  pthread_mutex_unlock(&q->lock);\n"
                  "  q = n;\n"
                  "  g = n;\n"
                  "}\n",
                  3, 6),
            "[what is locked changes before the lock is given back]");
}

TEST(no_lock_no_section) {
  CHECK_STR(widen("void f(void) {\n  g++;\n  g--;\n}\n", 2, 3), "[no lock]");
  CHECK_STR(
      widen("void f(void) {\n  lock(a);\n  g--;\n  unlock(a);\n}\n", 3, 3),
      "[no lock]"); /* it is held all the time */
}

/* The locks that are held at a line of f(), each with what gives it back. */
static const char *held(const char *source, uint32_t line) {
  struct cregion r;
  struct buf lock = {0}, unlock = {0};
  const struct cfunction *f = open_text(source, "f");
  if (CHECK(f != NULL) &&
      CHECK(cregion_of_lines(&text, f, line, line, &r, &why)))
    for (uint32_t i = 0; critical_held(&text, &r, i, &lock, &unlock); i++)
      buf_printf(&out, "[%s %s]", lock.at, unlock.at);
  buf_free(&lock);
  buf_free(&unlock);
  return buf_text(&out);
}

TEST(locks_are_held_until_they_are_given_back) {
  static const char source[] = "void f(void) {\n"
                               "  a();\n"
                               "  lock(x);\n"
                               "  if (k) {\n"
                               "    rdlock(y);\n"
                               "    b();\n"
                               "    unlock(y);\n"
                               "    unlock(x);\n"
                               "    return;\n"
                               "  }\n"
                               "  c();\n"
                               "  unlock(x);\n"
                               "  d();\n"
                               "}\n";
  CHECK_STR(held(source, 2), "");
  CHECK_STR(held(source, 6), "[lock(x); unlock(x);][rdlock(y); unlock(y);]");
  CHECK_STR(held(source, 11), "[lock(x); unlock(x);]");
  CHECK_STR(held(source, 13), "");
}

TEST_MAIN
