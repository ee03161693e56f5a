/*
 * A test program is one file of tests about one thing:
 *
 *   #include "test.h"
 *   TEST(an_empty_buffer_has_no_text) { CHECK_STR(buf_text(&b), ""); }
 *   TEST_MAIN
 *
 * Each test registers itself.  A failed check prints its place and both values
 * and the test goes on: nothing is left by longjmp, which would be wrong beside
 * fibers.  The program's argument, when given, selects the tests whose name
 * contains it.  Running no test at all is a failure.
 */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <string.h>

struct test {
  const char *name;
  void (*run)(void);
  struct test *next;
};

static struct test *test_list, **test_tail = &test_list;
static const char *test_filter; /* only tests whose name contains it */
static unsigned test_errors;    /* failed checks of the running test */

/* glibc hands argc and argv to constructors, so that main() needs neither. */
__attribute__((unused)) static void test_add(struct test *t, int argc,
                                             char **argv) {
  *test_tail = t;
  test_tail = &t->next;
  if (argc > 1)
    test_filter = argv[1];
}

#define TEST(NAME)                                                             \
  static void NAME(void);                                                      \
  __attribute__((constructor)) static void test_add_##NAME(int argc,           \
                                                           char **argv) {      \
    static struct test t = {#NAME, NAME, NULL};                                \
    test_add(&t, argc, argv);                                                  \
  }                                                                            \
  static void NAME(void)

#define TEST_MAIN                                                              \
  int main(void) { return test_run_all(); }

__attribute__((unused)) static int test_run_all(void) {
  unsigned passed = 0, failed = 0;
  for (struct test *t = test_list; t; t = t->next) {
    if (test_filter && !strstr(t->name, test_filter))
      continue;
    test_errors = 0;
    t->run();
    if (test_errors)
      fprintf(stderr, "FAILED %s\n", t->name);
    *(test_errors ? &failed : &passed) += 1;
  }
  fflush(stderr);
  printf("%u passed, %u failed\n", passed, failed);
  fflush(stdout);
  return failed || !passed;
}

__attribute__((unused)) static int test_bool(const char *file, int line, int ok,
                                             const char *what) {
  if (!ok) {
    test_errors++;
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
  }
  return ok;
}

__attribute__((unused)) static int test_int(const char *file, int line,
                                            long long a, long long b,
                                            const char *what) {
  if (a != b) {
    test_errors++;
    fprintf(stderr, "%s:%d: %s: %lld is not %lld\n", file, line, what, a, b);
  }
  return a == b;
}

__attribute__((unused)) static int test_str(const char *file, int line,
                                            const char *a, const char *b,
                                            const char *what) {
  int ok = a && b ? !strcmp(a, b) : a == b;
  if (!ok) {
    test_errors++;
    fprintf(stderr, "%s:%d: %s:\n  have \"%s\"\n  want \"%s\"\n", file, line,
            what, a ? a : "(null)", b ? b : "(null)");
  }
  return ok;
}

__attribute__((unused)) static int test_has(const char *file, int line,
                                            const char *a, const char *b,
                                            const char *what) {
  int ok = a && b && strstr(a, b);
  if (!ok) {
    test_errors++;
    fprintf(stderr, "%s:%d: %s:\n  in   \"%s\"\n  miss \"%s\"\n", file, line,
            what, a ? a : "(null)", b ? b : "(null)");
  }
  return ok;
}

/* Each of these gives whether it held: `if (!CHECK(p)) return;`. */
#define CHECK(X) test_bool(__FILE__, __LINE__, !!(X), #X)
#define CHECK_INT(A, B) test_int(__FILE__, __LINE__, (A), (B), #A " == " #B)
#define CHECK_STR(A, B) test_str(__FILE__, __LINE__, (A), (B), #A " == " #B)
#define CHECK_HAS(A, B) test_has(__FILE__, __LINE__, (A), (B), #A " has " #B)

#endif
