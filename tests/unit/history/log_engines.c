/* The exact engines one by one: what small random logs do not reach. */
#include "base/clock.h"
#include "log_types.h"
#include "random_log.h"
#include "test.h"

typedef void engine(const struct log_problem *, const struct log_budget *, bool,
                    struct log_answer *);

static engine *const engines[] = {check_frontier, check_depth_first,
                                  check_exact};
enum { ENGINES = 3 };

/* A log by hand: operations by call, times as they are given. */
struct bench {
  struct log log;
  struct toy toy;
  struct log_problem p;
  struct log_answer a;
};

static void begin(struct bench *b, const char *shape) {
  memset(b, 0, sizeof *b);
  toy_init(&b->toy, shape);
}

static struct log_op *add(struct bench *b, uint32_t call, uint32_t ret,
                          const char *f, int arg, int result) {
  struct log_op o = {.call = call,
                     .ret = ret,
                     .process = b->log.ops.len,
                     .f = log_function(&b->log, f, strlen(f)),
                     .nargs = arg >= 0,
                     .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                     .result = result > 0    ? datum_number(result)
                               : result == 0 ? DATUM_NIL
                                             : DATUM_NONE,
                     .order = LOG_NO_HINT};
  if (arg >= 0)
    o.arg[0] = datum_number(arg);
  vec_push(&b->log.ops, o);
  return &vec_last(&b->log.ops);
}

static void ready(struct bench *b) {
  struct error e = {0};
  free(b->p.ops);
  CHECK(log_problem_make(&b->p, &b->log, &b->toy.type, &e));
}

static void generate(struct bench *b, const struct random_log *want,
                     const char *shape) {
  begin(b, shape);
  b->log = random_log(want);
  ready(b);
}

static void end(struct bench *b) {
  free(b->p.ops);
  log_answer_free(&b->a);
  log_free(&b->log);
  toy_free(&b->toy);
}

static const char *fault(struct bench *b) {
  return order_fault(&b->p, b->a.order.at, b->a.order.len,
                     b->a.verdict == LOG_LINEARIZABLE);
}

static const struct log_budget no_budget;

TEST(nothing_is_linearizable) {
  struct bench b;
  begin(&b, "register");
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
    CHECK_INT(b.a.order.len, 0);
  }
  add(&b, 0, LOG_PENDING, "write", 1, -1);
  add(&b, 1, LOG_PENDING, "read", -1, -1);
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
  }
  end(&b);
}

/* The open dequeue returns 7 in the end, so it did not take the 1; but until it
 * returned nobody could know. */
TEST(a_prefix_is_bad_only_when_it_shows) {
  struct bench b;
  begin(&b, "queue");
  add(&b, 0, 1, "enq", 1, -1);
  add(&b, 2, 9, "deq", -1, 7);
  add(&b, 3, 4, "deq", -1, 0);
  add(&b, 5, 6, "enq", 7, -1);
  add(&b, 7, 8, "peek", -1, 7);
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, false, &b.a);
    CHECK_INT(b.a.verdict, LOG_VIOLATION);
    CHECK_INT(b.a.at, 1);
  }
  end(&b);
}

/* Hundreds of operations open at once: masks of several words. */
static void many_open(uint32_t n, bool good) {
  struct bench b;
  begin(&b, "register");
  for (uint32_t i = 0; i < n; i++)
    add(&b, i, 10000 + i, "write", 1 + (int)(i % 4), -1);
  for (uint32_t i = 0; i < n; i++)
    add(&b, n + i, 20000 + i, "read", -1, 1 + (int)(i % (good ? 4 : 5)));
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    struct log_budget steps = {.steps = 3000000};
    engines[k](&b.p, &steps, true, &b.a);
    if (engines[k] == check_depth_first && b.a.verdict == LOG_UNKNOWN)
      continue; /* it may take long */
    CHECK_INT(b.a.verdict, good ? LOG_LINEARIZABLE : LOG_VIOLATION);
    CHECK_STR(fault(&b), NULL);
  }
  end(&b);
}

TEST(many_operations_are_open_at_once) {
  many_open(63, true);
  many_open(64, true);
  many_open(65, true);
  many_open(200, true);
  many_open(200, false);
}

/* Crashed ones stay open for ever; some were seen. */
TEST(hundreds_of_crashed_operations) {
  struct bench b;
  begin(&b, "counter");
  uint32_t t = 0;
  for (uint32_t i = 0; i < 300; i++)
    add(&b, t++, LOG_PENDING, "inc", -1, -1);
  for (uint32_t i = 1; i < 300; i += 3, t += 2)
    add(&b, t, t + 1, "get", -1, (int)i);
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
    CHECK_STR(fault(&b), NULL);
  }
  add(&b, t, t + 1, "get", -1, 301);
  ready(&b);
  check_frontier(&b.p, &no_budget, true, &b.a);
  CHECK_INT(b.a.verdict, LOG_VIOLATION);
  CHECK_INT(b.a.at, b.p.nops - 1);
  end(&b);
}

/* The write of 2 has to come before the compare-and-set, which needs a 1: the
 * crashed write of the value that is there anyway covers it. */
TEST(a_crashed_write_covers_another_one) {
  struct bench b;
  begin(&b, "cas-register");
  add(&b, 0, 1, "write", 1, -1);
  add(&b, 2, LOG_PENDING, "write", 1, -1);
  add(&b, 3, 20, "write", 2, -1);
  struct log_op *cas = add(&b, 4, 6, "cas", 1, -1);
  cas->nargs = 2;
  cas->arg[1] = datum_number(3);
  cas->result = DATUM_TRUE;
  add(&b, 21, 22, "read", -1, 3);
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
    CHECK_STR(fault(&b), NULL);
  }
  end(&b);
}

static const char *const long_shapes[] = {"register", "cas-register", "set",
                                          "counter", "map"};

/* Long enough for what is dropped and kept on the way: paths, states, stages
 * to go back to. */
TEST(orders_of_long_logs_are_right) {
  uint32_t forgotten = 0;
  for (uint32_t s = 0; s < 5; s++) {
    struct bench b;
    struct random_log want = {.shape = long_shapes[s],
                              .seed = 5 + s,
                              .operations = 12000,
                              .processes = 4,
                              .values = 3,
                              .pending = s == 0};
    generate(&b, &want, long_shapes[s]);
    b.toy.state_bytes = 100 << 10;
    for (int k = 0; k < ENGINES; k++) {
      engines[k](&b.p, &no_budget, true, &b.a);
      CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
      CHECK_STR(fault(&b), NULL);
    }
    struct log_options o = {.no_monitor = true, .want_order = true};
    check_log(&b.p, &o, &b.a);
    CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
    CHECK_STR(fault(&b), NULL);
    forgotten += b.toy.forgotten;
    end(&b);
  }
  CHECK(forgotten > 0);
}

/* The frontier goes back to an earlier stage, the other one begins again. */
TEST(shortest_bad_prefixes_of_long_logs_agree) {
  uint32_t bad = 0;
  for (uint32_t s = 0; s < 5; s++)
    for (uint32_t seed = 0; seed < 6; seed++) {
      struct bench b;
      struct random_log want = {.shape = long_shapes[s],
                                .seed = seed,
                                .operations = 1500,
                                .processes = 3,
                                .values = 3,
                                .mutations = 1};
      generate(&b, &want, long_shapes[s]);
      b.toy.state_bytes = 50 << 10;
      struct log_budget steps = {.steps = 20000000};
      check_frontier(&b.p, &no_budget, true, &b.a);
      enum log_verdict verdict = b.a.verdict;
      uint32_t at = b.a.at;
      CHECK_STR(fault(&b), NULL);
      check_depth_first(&b.p, &steps, true, &b.a);
      if (CHECK_INT(b.a.verdict, verdict) && verdict == LOG_VIOLATION) {
        bad++;
        CHECK_INT(b.a.at, at);
        CHECK_STR(fault(&b), NULL);
      }
      struct log_options o = {.no_monitor = true, .want_order = true};
      check_log(&b.p, &o, &b.a);
      CHECK_INT(b.a.verdict, verdict);
      CHECK_INT(b.a.at, at);
      CHECK_STR(fault(&b), NULL);
      end(&b);
    }
  CHECK(bad > 10);
}

TEST(budgets_hold_and_say_so) {
  struct bench b;
  struct random_log want = {.shape = "queue",
                            .seed = 3,
                            .operations = 60,
                            .processes = 12,
                            .values = 3};
  generate(&b, &want, "queue");
  /* What nobody enqueued is dequeued in the end. */
  add(&b, b.log.end, b.log.end + 1, "deq", -1, 9);
  b.log.end += 2;
  ready(&b);
  for (int k = 0; k < ENGINES; k++) {
    struct log_budget steps = {.steps = 5000};
    engines[k](&b.p, &steps, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_UNKNOWN);
    CHECK_STR(b.a.limit, "steps");
    CHECK(b.a.steps >= 5000 && b.a.steps < 12000);
    CHECK(b.a.at < b.p.nops);
    struct log_budget past = {.deadline = clock_now() - 1};
    engines[k](&b.p, &past, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_UNKNOWN);
    CHECK_STR(b.a.limit, "time");
    struct log_budget memory = {.memory = 3 << 20, .steps = 50000000};
    struct log_budget resident = {.resident = 1, .steps = 50000000};
    engines[k](&b.p, &resident, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_UNKNOWN);
    CHECK_STR(b.a.limit, "memory");
    engines[k](&b.p, &memory, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_UNKNOWN);
    CHECK_STR(b.a.limit, "memory");
    CHECK(b.a.bytes < 12 << 20);
  }
  end(&b);
}

static uint64_t steps_of(uint32_t operations, uint32_t crashed, bool distinct) {
  struct bench b;
  struct random_log want = {.shape = "register",
                            .seed = 9,
                            .operations = operations,
                            .processes = 5,
                            .values = 5};
  generate(&b, &want, "register");
  /* Crashed writes go in front. */
  struct bench c;
  begin(&c, "register");
  for (uint32_t i = 0; i < crashed; i++)
    add(&c, i, LOG_PENDING, "write", distinct ? 100 + (int)i : 1 + (int)i % 5,
        -1);
  for (uint32_t i = 0; i < b.log.ops.len; i++) {
    struct log_op o = b.log.ops.at[i];
    const char *f = b.log.functions.at[o.f];
    o.call += crashed;
    o.ret += crashed;
    o.f = log_function(&c.log, f, strlen(f));
    vec_push(&c.log.ops, o);
  }
  ready(&c);
  check_frontier(&c.p, &no_budget, false, &c.a);
  CHECK_INT(c.a.verdict, LOG_LINEARIZABLE);
  uint64_t steps = c.a.steps;
  end(&b);
  end(&c);
  return steps;
}

TEST(effort_is_linear_and_crashed_operations_hardly_matter) {
  uint64_t n1 = steps_of(5000, 0, false), n2 = steps_of(10000, 0, false);
  CHECK(n2 < n1 * 2 + n1 / 4);
  CHECK(n2 < 10000 * 40);
  CHECK(steps_of(10000, 30, false) < 3 * n2);
  CHECK(steps_of(10000, 30, true) < 8 * n2);
}

TEST(a_type_that_cuts_is_not_believed) {
  struct bench b;
  begin(&b, "register");
  add(&b, 0, 1, "read", -1, 3);
  ready(&b);
  b.toy.type.cut = true;
  for (int k = 0; k < ENGINES; k++) {
    engines[k](&b.p, &no_budget, true, &b.a);
    CHECK_INT(b.a.verdict, LOG_UNKNOWN);
    CHECK_STR(b.a.limit, "next states");
  }
  end(&b);
}

/* Two keys, each fine alone; the known order between them is impossible. */
TEST(known_order_between_keys_is_not_lost) {
  struct bench b;
  begin(&b, "set");
  add(&b, 0, 5, "add", 1, -1)->result = DATUM_TRUE;
  add(&b, 1, 2, "contains", 1, -1)->result = DATUM_TRUE;
  add(&b, 3, 6, "add", 2, -1)->result = DATUM_TRUE;
  struct log_options o = {.no_monitor = true, .want_order = true};
  ready(&b);
  check_log(&b.p, &o, &b.a);
  CHECK_INT(b.a.verdict, LOG_LINEARIZABLE);
  b.log.ops.at[0].order = 8;
  b.log.ops.at[2].order = 7;
  ready(&b);
  check_log(&b.p, &o, &b.a);
  CHECK_INT(b.a.verdict, LOG_VIOLATION);
  end(&b);
}

TEST(the_first_of_several_bad_parts_is_told) {
  struct bench b;
  begin(&b, "set");
  for (uint32_t i = 0; i < 12; i++)
    add(&b, 2 * i, 2 * i + 1, "contains", 11 - (int)i, -1)->result =
        i < 4 ? DATUM_FALSE : DATUM_TRUE;
  ready(&b);
  struct log_options o = {.no_monitor = true, .want_order = true};
  check_log(&b.p, &o, &b.a);
  CHECK_INT(b.a.verdict, LOG_VIOLATION);
  CHECK_INT(b.a.at, 4);
  CHECK_INT(b.a.order.len, 4);
  CHECK_INT(b.a.core.len, 1);
  CHECK_STR(fault(&b), NULL);
  end(&b);
}

static bool same_numbers(const uint32_t *a, uint32_t n, const uint32_t *b,
                         uint32_t m) {
  return n == m && (!n || !memcmp(a, b, n * sizeof *a));
}

/* One process and several, on a log that is long enough for them. */
static void compare_processes(const struct random_log *want, bool monitor,
                              bool want_order, uint32_t *bad) {
  struct bench b;
  struct log_answer one = {0};
  struct log_options o = {.no_monitor = !monitor, .want_order = want_order};
  generate(&b, want, want->shape);
  check_log(&b.p, &o, &one);
  o.jobs = 3;
  check_log(&b.p, &o, &b.a);
  CHECK_INT(b.a.verdict, one.verdict);
  CHECK_STR(b.a.method, one.method);
  CHECK_INT(b.a.at, one.at);
  CHECK_STR(b.a.reason, one.reason);
  CHECK(same_numbers(b.a.order.at, b.a.order.len, one.order.at, one.order.len));
  CHECK(same_numbers(b.a.core.at, b.a.core.len, one.core.at, one.core.len));
  CHECK(!want_order || one.order.len);
  *bad += one.verdict == LOG_VIOLATION;
  log_answer_free(&one);
  end(&b);
}

TEST(processes_find_what_one_does) {
  uint32_t bad = 0, n = 0;
  for (uint32_t seed = 0; seed < 12; seed++, n++) {
    struct random_log want = {.shape = seed % 2 ? "map" : "set",
                              .seed = seed,
                              .operations = 100000,
                              .processes = 4,
                              .values = seed % 2 ? 4 : 3000,
                              .keys = 10 + 300 * (seed % 3),
                              .distribution = seed % 3,
                              .mutations = seed % 4 < 2 ? 0 : seed / 2};
    compare_processes(&want, seed % 3 == 0, seed % 5 < 3, &bad);
  }
  CHECK(bad > 2 && bad < n - 2);
}

TEST(processes_end_with_the_time) {
  struct bench b;
  struct random_log want = {
      .shape = "map", .operations = 100000, .values = 4, .keys = 50};
  struct log_options o = {.no_monitor = true, .jobs = 3, .budget.deadline = 1};
  generate(&b, &want, "map");
  check_log(&b.p, &o, &b.a);
  CHECK_INT(b.a.verdict, LOG_UNKNOWN);
  CHECK_STR(b.a.limit, "time");
  end(&b);
}

TEST_MAIN
