/* Each distinct history is checked once. */
#include "check/check.h"
#include "suites.h"
#include "test.h"

/* A register that counts how often it is asked. */
struct counting {
  struct spec spec;
  struct spec *inner;
  uint32_t asked;
};

static enum spec_answer count_apply(struct spec *s, const struct client *c,
                                    uint32_t state, uint32_t call,
                                    struct value *result, uint32_t *next) {
  struct counting *k = (struct counting *)s;
  k->asked++;
  return spec_apply(k->inner, c, state, call, result, next);
}

static const struct suite_op ops[] = {{"write", FL_TYPE_VOID, 0, 1, 0},
                                      {"read", FL_TYPE_INT, 4, 0, 0}};

struct fixture {
  struct suite suite;
  struct counting spec;
  struct client client;
  struct hop hops[2];
  struct history h;
  struct check_cache *cache;
};

/* {write(1)} || {read()}, one after the other. */
static void set_up(struct fixture *f) {
  struct error e = {0};
  memset(f, 0, sizeof *f);
  struct spec *s =
      spec_builtin(suite_make(&f->suite, "register",
                              "write = write, read = read", ops, 2, 1, 3),
                   &e);
  f->spec = (struct counting){.spec = *s, .inner = s};
  f->spec.spec.apply = count_apply;
  f->spec.spec.only_reads = NULL;
  client_add(&f->client, 1, (struct call){.nargs = 1, .args = {1}});
  client_add(&f->client, 2, (struct call){.op = 1});
  f->hops[0] = (struct hop){1, 2, value_void()};
  f->hops[1] = (struct hop){3, 4, value_int(1)};
  f->h = (struct history){.client = &f->client, .ops = f->hops};
  f->cache = check_cache_new();
}

static void tear_down(struct fixture *f) {
  check_cache_free(f->cache);
  client_free(&f->client);
  spec_free(f->spec.inner);
}

static enum check_answer ask(struct fixture *f, enum criterion criterion,
                             uint64_t budget) {
  return check_cached(f->cache, &f->h, &f->spec.spec, criterion, budget);
}

TEST(the_second_time_is_free) {
  struct fixture f;
  set_up(&f);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_YES);
  uint32_t asked = f.spec.asked;
  CHECK(asked > 0);
  f.hops[0] = (struct hop){10, 20, value_void()}; /* later, but as ordered */
  f.hops[1] = (struct hop){30, 40, value_int(1)};
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_YES);
  CHECK_INT(f.spec.asked, asked);
  CHECK_INT(check_cache_distinct(f.cache), 1);
  check_cache_clear(f.cache);
  CHECK_INT(check_cache_distinct(f.cache), 0);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_YES);
  CHECK_INT(f.spec.asked, 2 * asked);
  tear_down(&f);
}

TEST(another_question_is_another_entry) {
  struct fixture f;
  set_up(&f);
  f.hops[1].result = value_int(0);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_NO);
  CHECK_INT(ask(&f, CRITERION_SEQUENTIAL, 0), CHECK_YES);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_NO);
  f.hops[1].result = value_int(1);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_YES);
  f.hops[1] = (struct hop){3, HISTORY_PENDING, value_void()};
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_YES);
  f.h.stuck = true; /* a read does not wait */
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 0), CHECK_NO);
  CHECK_INT(check_cache_distinct(f.cache), 5);
  tear_down(&f);
}

TEST(a_larger_budget_asks_again) {
  struct fixture f;
  set_up(&f);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 1), CHECK_UNKNOWN);
  uint32_t asked = f.spec.asked;
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 1), CHECK_UNKNOWN);
  CHECK_INT(f.spec.asked, asked);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 100), CHECK_YES);
  CHECK_INT(ask(&f, CRITERION_LINEARIZABLE, 1), CHECK_YES);
  tear_down(&f);
}

TEST_MAIN
