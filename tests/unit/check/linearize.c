/* Histories whose answer everybody knows, long ones, and budgets. */
#include "base/rng.h"
#include "check/check.h"
#include "check/prefixes.h"
#include "oracle/brute.h"
#include "suites.h"
#include "test.h"

#define LEN(A) (sizeof(A) / sizeof *(A))
#define INT FL_TYPE_INT, 4
#define BOOL FL_TYPE_BOOL, 1
#define VOID FL_TYPE_VOID, 0
#define PENDING HISTORY_PENDING

static const struct suite_op stack_ops[] = {{"push", VOID, 1, 0},
                                            {"pop", INT, 0, 0}};
static const struct suite_op register_ops[] = {{"write", VOID, 1, 0},
                                               {"read", INT, 0, 0}};
static const struct suite_op counter_ops[] = {{"inc", INT, 0, 0}};

static const char stack[] = "push = push, pop = pop, empty = -1";
static const char queue[] = "enqueue = push, dequeue = pop, empty = -1";
static const char blocking[] = "enqueue = push, dequeue = pop";
static const char registers[] = "write = write, read = read";

static struct check out;

/* A client in its notation, its history, and the answer. */
static enum check_answer check(const char *type, const char *roles,
                               const struct suite_op *ops, const char *text,
                               struct hop *hops, bool stuck,
                               enum criterion criterion) {
  struct suite suite;
  struct error e = {0};
  struct client c = {0};
  struct spec *s =
      spec_builtin(suite_make(&suite, type, roles, ops, 2, 1, 9), &e);
  const char *name[] = {ops[0].name, ops[1].name};
  uint8_t nargs[] = {(uint8_t)ops[0].nargs, (uint8_t)ops[1].nargs};
  struct op_names names = {name, 2};
  CHECK(s && !client_read(&c, text, &names, nargs, &e));
  CHECK_STR(e.text, "");
  struct history h = {.client = &c, .ops = hops, .stuck = stuck};
  history_check_invariants(&h);
  check_linearize(&h, s, criterion, 0, &out);
  struct check brute = {0};
  check_brute(&h, s, criterion, &brute);
  CHECK_INT(brute.answer, out.answer);
  check_free(&brute);
  client_free(&c);
  spec_free(s);
  return out.answer;
}

static void order_is(const char *want) {
  struct buf b = {0};
  for (uint32_t i = 0; i < out.order.len; i++)
    buf_printf(&b, "%s%u", i ? " " : "", out.order.at[i]);
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
}

TEST(a_pop_may_overlap_the_push_it_sees) {
  struct hop h[] = {{1, 4, value_void()}, {2, 3, value_int(1)}};
  CHECK_INT(check("stack", stack, stack_ops, "{push(1)} || {pop()}", h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
  order_is("0 1");
}

TEST(an_empty_pop_after_a_push_is_wrong) {
  struct hop h[] = {{1, 2, value_void()}, {3, 4, value_int(-1)}};
  CHECK_INT(check("queue", queue, stack_ops, "{push(1)} || {pop()}", h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_NO);
  order_is("0");
  CHECK_INT(out.stuck_at, 1);
  CHECK(value_equal(out.expected, value_int(1)) && !out.waits);
  /* … but nobody can know without a clock. */
  CHECK_INT(check("queue", queue, stack_ops, "{push(1)} || {pop()}", h, false,
                  CRITERION_SEQUENTIAL),
            CHECK_YES);
  order_is("1 0");
}

TEST(equal_times_do_not_order) {
  struct hop h[] = {{1, 2, value_void()}, {2, 2, value_int(-1)}};
  CHECK_INT(check("queue", queue, stack_ops, "{push(1)} || {pop()}", h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
}

TEST(first_in_is_first_out) {
  struct hop h[] = {
      {1, 2, value_void()}, {3, 4, value_void()}, {5, 6, value_int(2)}};
  const char *client = "{push(1); push(2)} || {pop()}";
  CHECK_INT(check("queue", queue, stack_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_NO);
  CHECK_INT(check("stack", stack, stack_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
}

TEST(afek_stack_loses_a_value) {
  /* Both pops went past the slot of push(2), which had returned. */
  struct hop h[] = {{1, 9, value_void()},
                    {2, 3, value_void()},
                    {4, 10, value_int(-1)},
                    {5, 6, value_int(-1)}};
  CHECK_INT(check("stack", stack, stack_ops,
                  "{push(1)} || {push(2); pop()} || {pop()}", h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_NO);
}

TEST(a_register_does_not_go_back) {
  struct hop h[] = {
      {1, 6, value_void()}, {2, 3, value_int(1)}, {4, 5, value_int(0)}};
  const char *client = "{write(1)} || {read(); read()}";
  CHECK_INT(check("register", registers, register_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_NO);
  order_is("0 1");
  CHECK_INT(out.stuck_at, 2);
  h[1].result = value_int(0);
  h[2].result = value_int(1);
  CHECK_INT(check("register", registers, register_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
}

TEST(a_write_of_the_present_value_can_be_needed_later) {
  struct hop h[] = {{1, 2, value_void()},
                    {3, 9, value_void()},
                    {3, 4, value_void()},
                    {10, 11, value_int(1)}};
  CHECK_INT(check("register", registers, register_ops,
                  "write(1); {write(1)} || {write(2)}; read()", h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
  order_is("0 2 1 3");
}

TEST(a_pending_operation_may_have_happened) {
  struct hop h[] = {{1, PENDING, value_void()}, {2, 3, value_int(1)}};
  const char *client = "{push(1)} || {pop()}";
  CHECK_INT(check("stack", stack, stack_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
  order_is("0 1");
  h[1].result = value_int(-1);
  CHECK_INT(check("stack", stack, stack_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
  h[0].call = PENDING; /* never called: it cannot */
  h[1].result = value_int(1);
  CHECK_INT(check("stack", stack, stack_ops, client, h, false,
                  CRITERION_LINEARIZABLE),
            CHECK_NO);
  order_is("");
}

TEST(who_is_stuck_must_have_reason_to_wait) {
  struct hop h[] = {
      {1, 2, value_void()}, {3, 4, value_int(1)}, {3, PENDING, value_void()}};
  const char *client = "{push(1)} || {pop()} || {pop()}";
  CHECK_INT(check("queue", blocking, stack_ops, client, h, true,
                  CRITERION_LINEARIZABLE),
            CHECK_YES);
  order_is("0 1");
  h[1] = (struct hop){3, PENDING, value_void()};
  CHECK_INT(check("queue", blocking, stack_ops, client, h, true,
                  CRITERION_LINEARIZABLE),
            CHECK_NO); /* one of the two should have got it */
  order_is("0");
  CHECK_INT(out.stuck_at, 1);
  CHECK(value_equal(out.expected, value_int(1)) && !out.waits);
}

TEST(a_result_where_the_type_waits_is_wrong) {
  struct hop h[] = {
      {1, 2, value_void()}, {3, 4, value_int(1)}, {5, 6, value_int(1)}};
  CHECK_INT(check("queue", blocking, stack_ops, "push(1); {pop(); pop()}", h,
                  false, CRITERION_LINEARIZABLE),
            CHECK_NO);
  CHECK_INT(out.stuck_at, 2);
  CHECK(out.waits);
}

TEST(final_calls_come_last_without_a_clock) {
  struct hop h[] = {{1, 2, value_void()}, {3, 4, value_int(0)}};
  CHECK_INT(check("register", registers, register_ops, "{write(1)}; read()", h,
                  false, CRITERION_SEQUENTIAL),
            CHECK_NO);
}

/* A counter that many threads increase, `per` times each, in rounds in which
 * all of them overlap; the last `broken` results are the same. */
static void many(uint32_t threads, uint32_t per, bool broken,
                 enum check_answer want) {
  struct suite suite;
  struct error e = {0};
  struct client c = {0};
  uint32_t n = threads * per;
  struct hop *hops = xcalloc(n, sizeof *hops);
  struct spec *s = spec_builtin(
      suite_make(&suite, "counter", "fetch_inc = inc", counter_ops, 1, 1, 1),
      &e);
  struct rng rng = {threads};
  for (uint32_t t = 1; t <= threads; t++)
    for (uint32_t i = 0; i < per; i++)
      client_add(&c, t, (struct call){0});
  for (uint32_t i = 0; i < per; i++) {
    uint32_t first = (uint32_t)rng_below(&rng, threads);
    for (uint32_t t = 0; t < threads; t++)
      hops[t * per + i] = (struct hop){
          3 * i, 3 * i + 1, value_int(i * threads + (t + first) % threads)};
  }
  if (broken)
    hops[n - 1].result = hops[per - 1].result;
  struct history h = {.client = &c, .ops = hops};
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, want);
  CHECK_INT(out.order.len, want == CHECK_YES ? n : out.order.len);
  CHECK(out.order.len + threads >= n);
  client_free(&c);
  spec_free(s);
  free(hops);
}

TEST(long_histories_are_no_trouble) {
  many(3, 2000, false, CHECK_YES);
  many(3, 2000, true, CHECK_NO);
}

TEST(more_positions_than_fit_into_a_key) {
  many(31, 40, false, CHECK_YES);
  many(31, 40, true, CHECK_NO);
}

/* Pushes side by side, and a pop that returns what nobody pushed: every order
 * must be tried. */
enum { N = 7 };

static struct spec *hard(struct suite *suite, struct client *c,
                         struct hop *hops) {
  struct error e = {0};
  for (uint32_t t = 1; t <= N; t++) {
    client_add(c, t, (struct call){.op = 0, .nargs = 1, .args = {t}});
    hops[t - 1] = (struct hop){1, 9, value_void()};
  }
  client_add_final(c, (struct call){.op = 1});
  hops[N] = (struct hop){10, 11, value_int(N + 1)};
  return spec_builtin(suite_make(suite, "stack", stack, stack_ops, 2, 1, 99),
                      &e);
}

TEST(a_budget_ends_in_unknown) {
  struct suite suite;
  struct client c = {0};
  struct hop hops[N + 1];
  struct spec *s = hard(&suite, &c, hops);
  struct history h = {.client = &c, .ops = hops};
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 1000, &out);
  CHECK_INT(out.answer, CHECK_UNKNOWN);
  CHECK(out.applied >= 1000 && out.applied < 1010);
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_NO);
  client_free(&c);
  spec_free(s);
}

/* Time and memory of the specification, in both checkers. */
TEST(limits_end_in_unknown) {
  struct suite suite;
  struct client c = {0};
  struct hop hops[N + 1];
  struct spec *s = hard(&suite, &c, hops);
  struct history h = {.client = &c, .ops = hops};
  struct prefixes x = {0};
  s->deadline = 1; /* a second after the machine was switched on */
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_UNKNOWN);
  CHECK_STR(out.limit, "--time");
  CHECK(out.applied < 1000);
  check_prefixes(&h, s, 0, &x);
  CHECK_INT(x.answer, CHECK_UNKNOWN);
  CHECK(x.applied < 1000);
  s->deadline = 0;
  s->max_bytes = 16384;
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_UNKNOWN);
  CHECK_STR(out.limit, "--memory");
  prefixes_free(&x);
  check_prefixes(&h, s, 0, &x);
  CHECK_INT(x.answer, CHECK_UNKNOWN);
  CHECK(s->bytes(s) > 8192);
  s->max_bytes = (uint64_t)1 << 30;
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_NO);
  CHECK(!out.limit);
  prefixes_free(&x);
  client_free(&c);
  spec_free(s);
}

/* What states took before is no burden: they are dropped before a check. */
TEST(states_are_dropped_before_a_check) {
  struct suite suite;
  struct client c = {0};
  struct hop hops[N + 1];
  struct spec *s = hard(&suite, &c, hops);
  struct history h = {.client = &c, .ops = hops};
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_NO);
  uint64_t much = s->bytes(s), applied = out.applied;
  s->max_bytes = 2 * much - 1;
  spec_make_room(s);
  CHECK(s->bytes(s) < much / 4);
  s->max_bytes = 0;
  check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &out);
  CHECK_INT(out.answer, CHECK_NO);
  CHECK(out.applied == applied);
  /* Tables grow by doubling, now from another size. */
  CHECK(s->bytes(s) > much / 2 && s->bytes(s) < 2 * much);
  client_free(&c);
  spec_free(s);
}

TEST_MAIN
