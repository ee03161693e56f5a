/* The checks of test.h themselves: a test that cannot fail shows nothing. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

/* How many errors the failing checks count, with what they print put aside. */
static unsigned count_failures(void) {
  int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  unsigned before = test_errors, count;
  test_errors = 0;
  CHECK(1 > 2);
  CHECK_INT(1, 2);
  CHECK_STR("a", "b");
  CHECK_STR("a", NULL);
  CHECK_HAS("abc", "d");
  CHECK_HAS(NULL, "d");
  count = test_errors;
  test_errors = before;
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(null);
  return count;
}

TEST(failing_checks_are_counted) { CHECK_INT(count_failures(), 6); }

TEST(holding_checks_are_not_counted) {
  CHECK(CHECK(1 < 2));
  CHECK(CHECK_INT(-1, -1));
  CHECK(CHECK_STR("a", "a"));
  CHECK(CHECK_STR(NULL, NULL));
  CHECK(CHECK_HAS("abc", "bc"));
  CHECK_INT(test_errors, 0);
}

/* What the program would exit with if it had these tests. */
static int status_of(struct test *list, const char *filter) {
  fflush(NULL);
  struct test *saved_list = test_list;
  const char *saved_filter = test_filter;
  unsigned saved_errors = test_errors;
  int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  test_list = list;
  test_filter = filter;
  int status = test_run_all();
  test_list = saved_list;
  test_filter = saved_filter;
  test_errors = saved_errors;
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  close(null);
  return status;
}

static void good(void) { CHECK(1); }
static void bad(void) { CHECK(0); }

TEST(the_status_tells_failure_and_emptiness) {
  struct test second = {"bad_one", bad, NULL};
  struct test first = {"good_one", good, &second};
  CHECK_INT(status_of(&first, NULL), 1);
  CHECK_INT(status_of(&first, "good"), 0);
  CHECK_INT(status_of(&first, "bad"), 1);
  CHECK_INT(status_of(&first, "no such test"), 1);
  CHECK_INT(status_of(NULL, NULL), 1);
}

TEST_MAIN
