/*
 * The Nth allocation fails, for N = 1, 2, … until nothing fails any more.  The
 * process goes on, the call says so, and other checkers stay right.
 */
#include "faultline/check.h"

#include "test.h"

#include <errno.h>
#include <stdlib.h>

#ifndef __SANITIZE_ADDRESS__ /* which has a malloc of its own */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static long countdown; /* 0: none fails; N: the Nth from now does */
static long failed;

static int fails(void) {
  if (!countdown || --countdown)
    return 0;
  failed++;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) {
  return fails() ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
  return fails() ? NULL : __libc_realloc(p, n);
}

/* A text and a number that is not small, so that shared tables grow. */
static struct fl_datum value(char *text, size_t size, int i) {
  if (i % 2)
    return fl_number(((int64_t)1 << 40) + i);
  int n = snprintf(text, size, "value %d", i);
  return fl_text(text, (size_t)n);
}

/* One call, whose result is what it was given: put(key, v), then get(key). */
static int put_and_get(struct fl_check *c, int i) {
  char text[32];
  struct fl_datum args[] = {fl_number(i % 3), value(text, sizeof text, i)};
  int code = fl_check_begin(c, 1, "put", args, 2);
  if (code == FL_CHECK_OK)
    code = fl_check_end(c, 1, fl_none());
  if (code == FL_CHECK_OK)
    code = fl_check_begin(c, 1, "get", args, 1);
  if (code == FL_CHECK_OK)
    code = fl_check_end(c, 1, args[1]);
  return code;
}

static struct fl_check *opened(const char *spec, bool online) {
  struct fl_check_options o = fl_check_options_init();
  o.spec = spec;
  o.online = online;
  return fl_check_new(&o, NULL, 0);
}

enum { ROUNDS = 40 };

/* A whole life of a checker; false: some call failed, and says why. */
static bool lives(bool online) {
  struct fl_check_result r = fl_check_result_init();
  struct fl_check *c = opened("kv", online);
  bool fine = c != NULL;
  for (int i = 0; i < ROUNDS && fine; i++)
    fine = put_and_get(c, i) == FL_CHECK_OK;
  fine = fine && fl_check_result(c, &r) == FL_CHECK_OK;
  if (fine) {
    CHECK_INT(r.verdict, FL_CHECK_LINEARIZABLE);
    struct fl_datum key = fl_number(1); /* now a violation is explained */
    fine = fl_check_begin(c, 1, "get", &key, 1) == FL_CHECK_OK &&
           fl_check_end(c, 1, fl_text("never put", 9)) != FL_CHECK_ERROR &&
           fl_check_result(c, &r) == FL_CHECK_OK;
    if (fine)
      CHECK_INT(r.verdict, FL_CHECK_VIOLATION);
  }
  if (!fine) {
    CHECK_HAS(fl_check_error(c), "out of memory");
    if (c) {
      CHECK_INT(fl_check_begin(c, 8, "get", NULL, 0), FL_CHECK_ERROR);
      CHECK_HAS(fl_check_error(c), "an earlier call with this checker failed");
      CHECK_INT(fl_check_result(c, &r), FL_CHECK_ERROR);
    }
  }
  fl_check_free(c);
  return fine;
}

TEST(whichever_allocation_fails_the_process_goes_on) {
  for (int online = 0; online < 2; online++) {
    struct fl_check_result r = fl_check_result_init();
    struct fl_check *other = opened("kv", online);
    int i = 0;
    long n = 0;
    bool fine;
    do {
      countdown = ++n;
      fine = lives(online);
      countdown = 0;
      for (int end = i + 4; i < end; i++) /* shared data are whole */
        CHECK_INT(put_and_get(other, i), FL_CHECK_OK);
    } while (!fine && !test_errors);
    CHECK(n > 30); /* there were that many to fail */
    CHECK_INT(fl_check_result(other, &r), FL_CHECK_OK);
    CHECK_INT(r.verdict, FL_CHECK_LINEARIZABLE);
    fl_check_free(other);
  }
  CHECK(failed);
}

/* The first allocation of a call is that of a shared table, where one grows. */
TEST(shared_tables_survive_a_failed_growth) {
  struct fl_check_result r = fl_check_result_init();
  struct fl_check *other = opened("kv", true);
  for (int i = 0; i < 4000; i++) {
    char text[32];
    struct fl_datum args[] = {fl_number(1), value(text, sizeof text, i)};
    struct fl_check *c = opened("kv", false);
    countdown = 1;
    fl_check_begin(c, 1, "put", args, 2);
    countdown = 0;
    fl_check_free(c);
    CHECK_INT(put_and_get(other, i), FL_CHECK_OK);
  }
  CHECK_INT(fl_check_result(other, &r), FL_CHECK_OK);
  CHECK_INT(r.verdict, FL_CHECK_LINEARIZABLE);
  fl_check_free(other);
}

TEST(a_checker_that_cannot_be_made_keeps_no_lock) {
  countdown = 1;
  CHECK(!opened("queue", true));
  countdown = 0;
  struct fl_check *c = opened("queue", true);
  CHECK(c);
  fl_check_free(c);
}
#endif

/* More arguments than memory has room for are refused, too. */
TEST(a_list_that_is_too_long_is_refused) {
  struct fl_check_options o = fl_check_options_init();
  o.spec = "queue";
  struct fl_check *c = fl_check_new(&o, NULL, 0);
  struct fl_datum item = fl_number(1);
  struct fl_datum list = {
      .kind = FL_DATUM_LIST, .items = &item, .len = SIZE_MAX / 64};
  CHECK_INT(fl_check_begin(c, 1, "enqueue", &list, 1), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "a list of");
  list.len = 3, list.items = NULL;
  CHECK_INT(fl_check_begin(c, 1, "enqueue", &list, 1), FL_CHECK_ERROR);
  CHECK_INT(fl_check_begin(NULL, 1, "enqueue", NULL, 0), FL_CHECK_ERROR);
  CHECK_INT(fl_check_begin(c, 1, NULL, NULL, 0), FL_CHECK_ERROR);
  CHECK_INT(fl_check_begin(c, 1, "enqueue", NULL, 1), FL_CHECK_ERROR);
  CHECK_INT(fl_check_add_file(c, NULL), FL_CHECK_ERROR);
  CHECK_INT(fl_check_begin(c, 1, "dequeue", NULL, 0), FL_CHECK_OK);
  fl_check_free(c);
}

TEST_MAIN
