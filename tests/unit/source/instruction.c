/* One atomic instruction for a read and a write. */
#include "test.h"

#include "source/instruction.h"

#include <stdlib.h>
#include <string.h>

static const char *const before = "int n, a[9];\natomic_int m;\n";

/* The lines 4 … `last` of a function with the given body, whose first line is
 * 4, changed in one way; "" when there is none. */
static char *change(const char *body, uint32_t last, uint32_t which) {
  char *text = xasprintf("%sint f(int i) {\n%s}\n", before, body);
  struct ctext c = {0};
  struct edits e = {0};
  struct buf b = {0}, what = {0};
  ctext_read(&c, text, strlen(text), NULL, NULL);
  CHECK(c.functions.len == 1);
  if (instruction_edit(&c, &c.functions.at[0], 4, last, which, &e, &what)) {
    CHECK(what.len > 0);
    edits_apply(&e, text, strlen(text), &b);
  }
  char *out = xstrdup(buf_text(&b));
  edits_free(&e);
  ctext_free(&c);
  buf_free(&b);
  buf_free(&what);
  free(text);
  return out;
}

static void expect(const char *body, uint32_t last, uint32_t which,
                   const char *want) {
  char *all =
      want ? xasprintf("%sint f(int i) {\n%s}\n", before, want) : xstrdup("");
  char *got = change(body, last, which);
  CHECK_STR(got, all);
  free(got);
  free(all);
}

TEST(what_is_written_in_any_case_is_exchanged) {
  const char *text = "  int x = a[i];\n  a[i] = 0;\n  return x;\n";
  expect(text, 5, 0,
         "  int x = __atomic_exchange_n(&a[i], 0, __ATOMIC_SEQ_CST);\n"
         "  return x;\n");
  expect(text, 5, 1,
         "  again:; int x = a[i];\n"
         "  if (!__atomic_compare_exchange_n(&a[i], &x, 0, 0, "
         "__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) goto again;\n  return x;\n");
  expect(text, 5, 2, NULL);
}

TEST(an_atomic_type_has_functions_for_it) {
  expect("  int x = m;\n  m = 7;\n  return x;\n", 5, 0,
         "  int x = atomic_exchange(&m, 7);\n  return x;\n");
  expect("  int x = atomic_load(&m);\n  atomic_store(&m, 7);\n  return x;\n", 5,
         0, "  int x = atomic_exchange(&m, 7);\n  return x;\n");
}

/* The value is not known when the read is made. */
TEST(what_is_computed_from_the_read_is_not_exchanged) {
  const char *text = "  int x = atomic_load(&m);\n  int y = x / 2;\n"
                     "  atomic_store(&m, y);\n  return x;\n";
  expect(text, 6, 0,
         "  again:; int x = atomic_load(&m);\n  int y = x / 2;\n  if "
         "(!atomic_compare_exchange_strong(&m, &x, y)) goto again;\n"
         "  return x;\n");
  expect(text, 6, 1, NULL);
}

/* One thread alone would see that something is written. */
TEST(what_is_written_under_a_condition_is_not_exchanged) {
  expect("  int x = atomic_load(&m);\n  if (x)\n    return 0;\n"
         "  atomic_store(&m, 1);\n  return 1;\n",
         7, 0,
         "  again:; int x = atomic_load(&m);\n  if (x)\n    return 0;\n  if "
         "(!atomic_compare_exchange_strong(&m, &x, 1)) goto again;\n"
         "  return 1;\n");
  expect("  int x = i ? m : 0;\n  m = 1;\n  return x;\n", 5, 0, NULL);
}

TEST(an_operation_of_what_was_read) {
  expect("  int x = atomic_load(&m);\n  atomic_store(&m, x & ~(1 << i));\n"
         "  return x;\n",
         5, 0, "  int x = atomic_fetch_and(&m, ~(1 << i));\n  return x;\n");
  /* not fetch_sub(&m, 1 + i): x - 1 + i is (x - 1) + i */
  expect("  int x = atomic_load(&m);\n  atomic_store(&m, x - 1 + i);\n"
         "  return x;\n",
         5, 0,
         "  again:; int x = atomic_load(&m);\n  if "
         "(!atomic_compare_exchange_strong(&m, &x, x - 1 + i)) goto again;\n"
         "  return x;\n");
}

TEST(a_look_and_then_an_operation) {
  expect("  if (atomic_load(&m) == 0)\n    return 0;\n"
         "  return atomic_fetch_sub(&m, 1);\n",
         6, 0,
         "  again:; __auto_type seen = atomic_load(&m); if (seen == 0)\n"
         "    return 0;\n  if (!atomic_compare_exchange_strong(&m, &seen, seen "
         "- 1)) goto again; return seen;\n");
  /* a loop's condition is read more than once */
  expect("  while (atomic_load(&m))\n    ;\n  atomic_store(&m, 1);\n", 6, 0,
         NULL);
}

TEST(the_result_of_an_operation_instead_of_a_look) {
  expect("  atomic_fetch_sub(&m, 1);\n  if (atomic_load(&m) == 0)\n"
         "    return 1;\n  return 0;\n",
         5, 0,
         "  if ((atomic_fetch_sub(&m, 1) - 1) == 0)\n    return 1;\n"
         "  return 0;\n");
  expect("  atomic_fetch_sub(&m, 1);\n  if (i && atomic_load(&m) == 0)\n"
         "    return 1;\n  return 0;\n",
         5, 0, NULL);
  expect("  atomic_fetch_sub(&m, 1);\n  while (atomic_load(&m) == 0)\n"
         "    g();\n  return 0;\n",
         5, 0, NULL);
}

TEST(a_type_becomes_atomic) {
  char *got = change("  return ++n;\n", 4, 0);
  CHECK_STR(got, "int _Atomic n, a[9];\natomic_int m;\nint f(int i) {\n"
                 "  return ++n;\n}\n");
  free(got);
  expect("  return ++n;\n", 4, 1,
         "  return __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);\n");
  expect("  m++;\n  return 0;\n", 4, 0, NULL); /* it is one instruction */
}

static bool is_guarded(const char *body, uint32_t first, uint32_t last) {
  char *text = xasprintf("%sint f(int i) {\n%s}\n", before, body);
  struct ctext c = {0};
  ctext_read(&c, text, strlen(text), NULL, NULL);
  bool is = instruction_is_guarded(&c, &c.functions.at[0], first, last);
  ctext_free(&c);
  free(text);
  return is;
}

TEST(a_home_made_lock_guards_what_is_between) {
  CHECK(is_guarded("  atomic_exchange(&m, 1);\n  n++;\n"
                   "  atomic_store(&m, 0);\n  return 0;\n",
                   5, 5));
  CHECK(is_guarded("  while (atomic_flag_test_and_set(&b))\n    ;\n  n++;\n"
                   "  atomic_flag_clear(&b);\n",
                   6, 6));
  CHECK(!is_guarded("  atomic_load(&m);\n  n++;\n  atomic_store(&m, 0);\n", 5,
                    5));
  CHECK(!is_guarded("  atomic_exchange(&m, 1);\n  n++;\n  return m;\n", 5, 5));
}

TEST_MAIN
