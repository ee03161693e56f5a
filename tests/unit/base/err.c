#include "base/err.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(keeps_the_first_error) {
  struct error e = {0};
  CHECK_INT(error_set(&e, ERR_INPUT, "line %d", 3), ERR_INPUT);
  CHECK_INT(error_set(&e, ERR_USAGE, "other"), ERR_USAGE);
  CHECK_INT(e.code, ERR_INPUT);
  CHECK_STR(e.text, "line 3");
}

TEST(cuts_a_long_error) {
  struct error e = {0};
  error_set(&e, ERR_INPUT, "%5000d", 7);
  CHECK_INT(strlen(e.text), sizeof e.text - 1);
}

TEST(accepts_a_caller_without_interest) {
  CHECK_INT(error_set(NULL, ERR_SYSTEM, "x"), ERR_SYSTEM);
}

/* Runs f in a child whose stderr is read back. */
static int in_child(void (*f)(void), char *out, size_t size) {
  int fds[2];
  if (pipe(fds))
    return -1;
  pid_t child = fork();
  if (!child) {
    dup2(fds[1], STDERR_FILENO);
    f();
    _exit(0);
  }
  close(fds[1]);
  ssize_t n = read(fds[0], out, size - 1);
  out[n > 0 ? n : 0] = 0;
  close(fds[0]);
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void dies(void) { die("no %s", "fork"); }
static void *volatile sink;
static void wants_too_much(void) { sink = xmalloc(((size_t)-1) >> 1); }
static void wants_too_many(void) {
  volatile size_t n = (size_t)-1 / 2;
  sink = xcalloc(n, 16);
}

TEST(death_is_a_sentence_and_status_2) {
  char out[200];
  CHECK_INT(in_child(dies, out, sizeof out), 2);
  CHECK_STR(out, "faultline: no fork\n");
}

/* ASan's allocator reports huge requests itself. */
#ifndef __SANITIZE_ADDRESS__
TEST(out_of_memory_dies) {
  char out[200];
  CHECK_INT(in_child(wants_too_much, out, sizeof out), 2);
  CHECK_HAS(out, "out of memory");
  CHECK_INT(in_child(wants_too_many, out, sizeof out), 2);
  CHECK_HAS(out, "out of memory");
}
#else
__attribute__((unused)) static void (*const unused[])(void) = {wants_too_much,
                                                               wants_too_many};
#endif

TEST(nothing_is_something) {
  void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0);
  CHECK(a && b && c);
  free(a);
  free(b);
  free(c);
}

TEST(copies_strings) {
  char *a = xstrdup("abc"), *b = xstrndup("abc", 2), *c = xstrndup("a", 9);
  char *d = xasprintf("%s-%d", a, 12);
  CHECK_STR(a, "abc");
  CHECK_STR(b, "ab");
  CHECK_STR(c, "a");
  CHECK_STR(d, "abc-12");
  free(a);
  free(b);
  free(c);
  free(d);
}

TEST_MAIN
