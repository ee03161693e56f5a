/* Clients made smaller, with a made-up idea of what fails. */
#include "shrink/reduce.h"
#include "test.h"

#include <string.h>

static const char *const name[] = {"a", "b", "c"};
static const struct op_names names = {name, 3};
static const uint8_t nargs[] = {1, 1, 1};

static void read_client(struct client *c, const char *text) {
  struct error e = {0};
  client_read(c, text, &names, nargs, &e);
  CHECK_STR(e.text, "");
}

/* What must be in the text of a client that fails. */
struct needs {
  const char *at[4];
  uint32_t unknown; /* so many calls or more: nobody knows */
  uint32_t effort;
};

static enum reduce_answer check(void *ctx, const struct client *c) {
  struct needs *n = ctx;
  struct buf text = {0};
  bool fails = true;
  client_check_invariants(c);
  client_print(c, &names, &text);
  for (int i = 0; i < 4 && n->at[i]; i++)
    fails &= strstr(buf_text(&text), n->at[i]) != NULL;
  buf_free(&text);
  if (n->effort)
    n->effort--;
  if (fails)
    return REDUCE_FAILS;
  return n->unknown && c->ncalls >= n->unknown ? REDUCE_UNKNOWN
                                               : REDUCE_CORRECT;
}

static bool has_effort(void *ctx) {
  const struct needs *n = ctx;
  return n->effort;
}

static uint32_t domain(void *ctx, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data) {
  static const int64_t keys[] = {1, 2, 3}, datum[] = {7, 8, 9};
  (void)ctx, (void)arg;
  *values = op == 2 ? datum : keys;
  *data = op == 2;
  return 3;
}

static void becomes(const struct client *c, const char *text) {
  struct buf out = {0};
  client_print(c, &names, &out);
  CHECK_STR(buf_text(&out), text);
  buf_free(&out);
}

TEST(calls_that_are_not_needed_go) {
  struct needs n = {.at = {"{a(1)", "b(2)}"}};
  struct reduce r = {.check = check, .ctx = &n};
  struct client c;
  read_client(&c, "c(1); {a(1); c(2)} || {c(3); b(2)}; c(4)");
  CHECK(reduce_calls(&r, &c));
  becomes(&c, "{a(1)} || {b(2)}");
  client_free(&c);
}

TEST(what_is_not_known_is_not_proved) {
  struct needs n = {.at = {"{a(1)", "b(2)}"}, .unknown = 1};
  struct reduce r = {.check = check, .ctx = &n};
  struct client c;
  read_client(&c, "c(1); {a(1)} || {b(2)}");
  CHECK(!reduce_calls(&r, &c));
  becomes(&c, "{a(1)} || {b(2)}");
  client_free(&c);
}

TEST(the_end_of_the_effort_is_no_proof) {
  struct needs n = {.at = {"{a(1)", "b(2)}"}, .effort = 1};
  struct reduce r = {.check = check, .goes_on = has_effort, .ctx = &n};
  struct client c;
  read_client(&c, "c(1); {a(1)} || {b(2)}; c(2); c(3)");
  CHECK(!reduce_calls(&r, &c));
  CHECK_INT(c.ncalls, 4);
  client_free(&c);
}

TEST(pieces_leave_what_is_needed) {
  struct needs n = {.at = {"a(50)", "{b(1)}", "c(7)"}};
  struct reduce r = {.check = check, .ctx = &n};
  struct client c = {0};
  struct call call = {.op = 0, .nargs = 1};
  for (call.args[0] = 1; call.args[0] <= 100; call.args[0]++)
    client_add_init(&c, call);
  call.op = 1;
  for (uint32_t t = 1; t <= 2; t++) {
    call.args[0] = t;
    client_add(&c, t, call);
  }
  call.op = 2;
  for (call.args[0] = 1; call.args[0] <= 20; call.args[0]++)
    client_add_final(&c, call);
  reduce_pieces(&r, &c);
  becomes(&c, "a(50); {b(1)} || {b(2)}; c(7)");
  CHECK(r.checks < 60); /* not one for each call */
  client_free(&c);
}

TEST(concurrent_calls_become_serial) {
  struct needs n = {.at = {"a(1)", "{b(2)}", "c(3)"}};
  struct reduce r = {.check = check, .ctx = &n};
  struct client c;
  read_client(&c, "{a(1); b(2)} || {a(3); c(3)}");
  reduce_concurrent(&r, &c);
  becomes(&c, "a(1); a(3); {b(2)} || {c(3)}");
  client_free(&c);
}

TEST(two_threads_become_one) {
  struct needs n = {.at = {"{a(1); b(2)}", "{c(3)}"}};
  struct reduce r = {.check = check, .ctx = &n};
  struct client c;
  read_client(&c, "{a(1); b(2)} || {c(3)} || {a(3)}");
  n.at[2] = "a(3)";
  n.at[0] = "a(1); b(2)";
  n.at[3] = "|| {";
  reduce_concurrent(&r, &c);
  CHECK_INT(c.nthreads, 2);
  CHECK_INT(c.ncalls, 4);
  client_free(&c);
}

TEST(values_become_the_first_of_their_domain) {
  struct needs n = {0};
  struct reduce r = {.check = check, .domain = domain, .ctx = &n};
  struct client c;
  read_client(&c, "a(30); c(40); {b(20); a(30)} || {c(5); b(20)}");
  CHECK(reduce_values(&r, &c));
  becomes(&c, "a(1); c(7); {b(2); a(1)} || {c(8); b(2)}");
  CHECK(!reduce_values(&r, &c));
  client_free(&c);
}

TEST(values_that_matter_stay) {
  struct needs n = {.at = {"c(40)"}};
  struct reduce r = {.check = check, .domain = domain, .ctx = &n};
  struct client c;
  read_client(&c, "a(30); {c(40)} || {b(20)}");
  CHECK(reduce_values(&r, &c));
  becomes(&c, "a(1); {c(40)} || {b(2)}");
  client_free(&c);
}

TEST(the_order_of_values_stays_where_it_matters) {
  struct needs n = {.at = {"b(1)"}};
  struct reduce r = {.check = check, .domain = domain, .ctx = &n};
  struct client c;
  read_client(&c, "a(30); {c(40)} || {b(20)}");
  CHECK(reduce_values(&r, &c));
  becomes(&c, "a(2); {c(7)} || {b(1)}");
  client_free(&c);
}

static uint32_t many(void *ctx, uint32_t op, uint32_t arg,
                     const int64_t **values, bool *data) {
  static int64_t all[100];
  (void)ctx, (void)op, (void)arg;
  for (int i = 0; i < 100; i++)
    all[i] = i + 1;
  *values = all;
  *data = false;
  return 100;
}

/* Fails if all of its values are different and give the same when divided. */
static enum reduce_answer check_hash(void *ctx, const struct client *c) {
  int64_t size = *(int64_t *)ctx, first = c->calls[0].args[0];
  bool fails = true;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    fails &= c->calls[i].args[0] % size == first % size;
    for (uint32_t k = 0; k < i; k++)
      fails &= c->calls[i].args[0] != c->calls[k].args[0];
  }
  return fails ? REDUCE_FAILS : REDUCE_CORRECT;
}

TEST(values_that_cannot_be_the_first_ones_become_small_one_by_one) {
  int64_t size = 7;
  struct reduce r = {.check = check_hash, .domain = many, .ctx = &size};
  struct client c;
  read_client(&c, "a(95); {b(39)} || {b(67)}");
  CHECK(reduce_values(&r, &c));
  becomes(&c, "a(4); {b(11)} || {b(18)}");
  uint32_t before = r.checks;
  CHECK(!reduce_values(&r, &c));
  CHECK(r.checks - before < 60);
  client_free(&c);
}

TEST_MAIN
