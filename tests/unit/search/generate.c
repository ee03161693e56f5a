#include "search/generate.h"

#include "test.h"

#include <stdlib.h>

static const int64_t one_to_nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

#define DATA(n)                                                                \
  { one_to_nine, n, true }
#define RANGE(n)                                                               \
  { one_to_nine, n, false }
#define LIMITS(T, OPS, INIT)                                                   \
  (&(struct gen_limits){.threads = T, .ops = OPS, .init = INIT})

static const char *const names_list[] = {"a", "b", "c", "d"};
static const struct op_names names = {names_list, 4};

static uint64_t count(const struct gen_op *ops, uint32_t nops,
                      const struct gen_limits *limits) {
  struct gen_object o = {ops, nops};
  struct generator *g = generator_new(&o, limits);
  struct client c;
  uint64_t n = 0;
  while (generator_next(g, &c)) {
    client_check_invariants(&c);
    n++;
    client_free(&c);
  }
  CHECK(!generator_next(g, &c)); /* and it stays at its end */
  generator_free(g);
  return n;
}

/* All clients, one a line. */
static const char *list(const struct gen_op *ops, uint32_t nops,
                        const struct gen_limits *limits) {
  static struct buf b;
  struct gen_object o = {ops, nops};
  struct generator *g = generator_new(&o, limits);
  struct client c;
  buf_clear(&b);
  while (generator_next(g, &c)) {
    client_print(&c, &names, &b);
    buf_putc(&b, '\n');
    client_free(&c);
  }
  generator_free(g);
  return buf_text(&b);
}

/* ---- counts with closed formulas ---- */

/* One call: only the lengths differ; two threads have m(m+1)/2 pairs. */
TEST(one_operation_without_arguments) {
  struct gen_op op[] = {{.nargs = 0}};
  for (uint32_t m = 1; m <= 6; m++)
    for (uint32_t init = 0; init <= 3; init++)
      CHECK_INT(count(op, 1, LIMITS(2, m, init)), (init + 1) * m * (m + 1) / 2);
}

/* t threads, one call each of k operations: multisets, C(k + t - 1, t). */
TEST(threads_of_one_call_are_multisets) {
  struct gen_op ops[4] = {{.nargs = 0}};
  for (uint32_t k = 1; k <= 4; k++) {
    uint64_t two = k * (k + 1) / 2, three = two * (k + 2) / 3;
    uint64_t four = three * (k + 3) / 4;
    CHECK_INT(count(ops, k, LIMITS(2, 1, 0)), two);
    CHECK_INT(count(ops, k, LIMITS(3, 1, 0)), two + three);
    CHECK_INT(count(ops, k, LIMITS(4, 1, 0)), two + three + four);
  }
}

/* Sequences up to m calls are w = k + … + k^m; pairs of them w(w+1)/2. */
TEST(two_threads_are_pairs_of_sequences) {
  struct gen_op ops[3] = {{.nargs = 0}};
  for (uint64_t k = 1; k <= 3; k++) {
    uint64_t w = 0, power = 1;
    for (uint32_t m = 1; m <= 3; m++) {
      power *= k;
      w += power;
      CHECK_INT(count(ops, (uint32_t)k, LIMITS(2, m, 0)), w * (w + 1) / 2);
      CHECK_INT(count(ops, (uint32_t)k, LIMITS(2, m, 1)),
                (k + 1) * w * (w + 1) / 2);
    }
  }
}

/* Values that mean something make an operation for each. */
TEST(plain_values_count_like_operations) {
  struct gen_op op[] = {{.nargs = 2, .args = {RANGE(2), RANGE(3)}}};
  CHECK_INT(count(op, 1, LIMITS(2, 1, 0)), 6 * 7 / 2);
  CHECK_INT(count(op, 1, LIMITS(2, 2, 0)), 42 * 43 / 2);
}

/* t threads push one value each: which are equal is a partition of t. */
TEST(interchangeable_values_count_partitions) {
  static const uint64_t partitions[] = {1, 1, 2, 3, 5, 7, 11};
  struct gen_op op[] = {{.nargs = 1, .args = {DATA(9)}}};
  uint64_t sum = 0;
  for (uint32_t t = 2; t <= 6; t++) {
    sum += partitions[t];
    CHECK_INT(count(op, 1, LIMITS(t, 1, 0)), sum);
  }
}

/* Two arguments of one class in a sequence of initial calls: Bell numbers. */
TEST(a_sequence_of_interchangeable_values_counts_bell_numbers) {
  struct gen_op ops[] = {{.nargs = 2, .args = {DATA(9), DATA(9)}, .group = 1},
                         {.nargs = 0, .waits = true, .group = 2}};
  /* Threads: {a(x, y)} || {b()}; initial: none, one, two times a. */
  CHECK_INT(count(ops, 2, LIMITS(2, 1, 0)), 2);
  CHECK_INT(count(ops, 2, LIMITS(2, 1, 1)), 2 + 15);
  CHECK_INT(count(ops, 2, LIMITS(2, 1, 2)), 2 + 15 + 203);
}

TEST(eight_threads_end) {
  struct gen_op op[] = {{.nargs = 1, .args = {DATA(9)}}};
  CHECK_INT(count(op, 1, LIMITS(8, 1, 0)), 2 + 3 + 5 + 7 + 11 + 15 + 22);
}

/* ---- what they look like ---- */

TEST(a_stack_is_enumerated_smallest_first) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(3)}},
                         {.nargs = 0, .returns = true}};
  CHECK_STR(list(ops, 2, LIMITS(2, 1, 1)), "{a(1)} || {a(1)}\n"
                                           "{a(1)} || {a(2)}\n"
                                           "{a(1)} || {b()}\n"
                                           "{b()} || {b()}\n"
                                           "a(1); {a(1)} || {a(1)}\n"
                                           "a(1); {a(1)} || {a(2)}\n"
                                           "a(1); {a(1)} || {b()}\n"
                                           "a(1); {a(2)} || {a(2)}\n"
                                           "a(1); {a(2)} || {a(3)}\n"
                                           "a(1); {a(2)} || {b()}\n"
                                           "a(1); {b()} || {b()}\n"
                                           "b(); {a(1)} || {a(1)}\n"
                                           "b(); {a(1)} || {a(2)}\n"
                                           "b(); {a(1)} || {b()}\n"
                                           "b(); {b()} || {b()}\n");
}

TEST(operations_of_a_group_stay_in_one_thread) {
  struct gen_op ops[] = {{.nargs = 0, .group = 1}, {.nargs = 0, .group = 2}};
  CHECK_STR(list(ops, 2, LIMITS(3, 1, 0)), "{a()} || {b()}\n");
  struct gen_op one[] = {{.nargs = 0, .group = 1}, {.nargs = 0, .group = 1}};
  CHECK_STR(list(one, 2, LIMITS(3, 2, 1)), "");
  struct gen_op two[] = {{.nargs = 0, .group = 1}, {.nargs = 0}};
  CHECK_STR(list(two, 2, LIMITS(2, 1, 0)), "{a()} || {b()}\n{b()} || {b()}\n");
}

TEST(calls_that_wait_are_not_initial) {
  struct gen_op op[] = {{.nargs = 0, .waits = true}};
  CHECK_STR(list(op, 1, LIMITS(2, 1, 2)), "{a()} || {a()}\n");
}

TEST(operations_without_values_are_left_out) {
  struct gen_op ops[] = {{.nargs = 1, .args = {RANGE(0)}}, {.nargs = 0}};
  CHECK_STR(list(ops, 2, LIMITS(2, 1, 0)), "{b()} || {b()}\n");
  CHECK_STR(list(ops, 1, LIMITS(2, 1, 0)), "");
  CHECK_STR(list(ops, 0, LIMITS(2, 1, 1)), "");
  CHECK_STR(list(ops, 2, LIMITS(1, 3, 1)), "");
  CHECK_STR(list(ops, 2, LIMITS(2, 0, 1)), "");
}

TEST(repeated_values_count_once) {
  static const int64_t twice[] = {5, 5, 4, 5, 4};
  struct gen_op op[] = {{.nargs = 1, .args = {{twice, 5, false}}}};
  CHECK_STR(list(op, 1, LIMITS(2, 1, 0)),
            "{a(5)} || {a(5)}\n{a(5)} || {a(4)}\n{a(4)} || {a(4)}\n");
}

TEST(overlapping_lists_are_not_renamed) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(2)}},
                         {.nargs = 1, .args = {DATA(3)}}};
  CHECK_INT(count(ops, 2, LIMITS(2, 1, 0)), 5 * 6 / 2);
}

static uint32_t calls_inside(const struct client *c) {
  return c->ncalls - c->ninit - c->nfinal;
}

/* By weight, then calls in threads, then threads. */
static int64_t order_of(const struct client *c) {
  uint32_t inside = calls_inside(c);
  return ((int64_t)(2 * inside + c->ninit) * 100 + inside) * 100 + c->nthreads;
}

TEST(initial_calls_weigh_half_in_the_order) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(3)}}, {.nargs = 0}};
  struct gen_object o = {ops, 2};
  struct generator *g = generator_new(&o, LIMITS(3, 2, 3));
  struct client c, last = {0};
  while (generator_next(g, &c)) {
    CHECK(order_of(&c) >= order_of(&last));
    client_free(&last);
    last = c;
  }
  CHECK_INT(last.ncalls, 9);
  client_free(&last);
  generator_free(g);
}

/* ---- what others make superfluous ---- */

/* A stack of whatever: a(x) pushes, b() pops, c() tells the size. */
static uint32_t size_after(const struct client *c, uint32_t n) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < n; i++)
    size += c->calls[i].op == 0 ? 1 : c->calls[i].op == 1 && size ? -1u : 0;
  return size;
}

static bool stack_changes(void *ctx, const struct client *init) {
  ++*(unsigned *)ctx;
  CHECK_INT(init->ncalls, init->ninit);
  return size_after(init, init->ninit) != size_after(init, init->ninit - 1);
}

static const struct gen_op stack_with_size[] = {{.nargs = 1, .args = {DATA(2)}},
                                                {.nargs = 0, .returns = true},
                                                {.nargs = 0, .returns = true}};

TEST(initial_calls_that_change_nothing_are_left_out) {
  unsigned asked = 0;
  struct gen_limits l = {.threads = 2,
                         .ops = 1,
                         .init = 2,
                         .changes = stack_changes,
                         .ctx = &asked};
  struct gen_op ops[] = {{.nargs = 0}, {.nargs = 0, .group = 1}};
  /* Initially nothing, a, a a, a b; not b, b a, b b. */
  CHECK_STR(list(ops, 2, &l), "{a()} || {a()}\n"
                              "{a()} || {b()}\n"
                              "a(); {a()} || {a()}\n"
                              "a(); {a()} || {b()}\n"
                              "a(); a(); {a()} || {a()}\n"
                              "a(); a(); {a()} || {b()}\n"
                              "a(); b(); {a()} || {a()}\n"
                              "a(); b(); {a()} || {b()}\n");
  CHECK(asked > 0);
}

TEST(values_are_different_where_they_can_be) {
  struct gen_op op[] = {{.nargs = 1, .args = {DATA(2)}}};
  struct gen_limits l = {.threads = 2, .ops = 2, .distinct = true};
  CHECK_STR(list(op, 1, &l), "{a(1)} || {a(2)}\n"
                             "{a(1)} || {a(1); a(2)}\n"
                             "{a(1)} || {a(2); a(1)}\n"
                             "{a(1)} || {a(2); a(2)}\n"
                             "{a(1); a(1)} || {a(1); a(2)}\n"
                             "{a(1); a(1)} || {a(2); a(1)}\n"
                             "{a(1); a(1)} || {a(2); a(2)}\n"
                             "{a(1); a(2)} || {a(1); a(2)}\n"
                             "{a(1); a(2)} || {a(2); a(1)}\n");
}

TEST(one_call_that_reads_is_set_against_others) {
  unsigned asked = 0;
  struct gen_limits l = {.threads = 3,
                         .ops = 3,
                         .init = 0,
                         .distinct = true,
                         .observe = true,
                         .changes = stack_changes,
                         .ctx = &asked};
  CHECK_STR(list(stack_with_size, 3, &l), "{c()} || {a(1); a(1); a(2)}\n"
                                          "{c()} || {a(1); a(2); a(1)}\n"
                                          "{c()} || {a(1); a(2); a(2)}\n"
                                          "{c()} || {a(1); a(2); b()}\n"
                                          "{c()} || {a(1); b(); a(2)}\n"
                                          "{c()} || {a(1); b(); b()}\n"
                                          "{c()} || {b(); a(1); a(2)}\n"
                                          "{c()} || {b(); a(1); b()}\n"
                                          "{c()} || {b(); b(); a(1)}\n"
                                          "{c()} || {b(); b(); b()}\n");
  CHECK_STR(list(stack_with_size, 2, &l), ""); /* nothing reads */
}

TEST(what_reads_is_not_repeated_at_the_end) {
  unsigned asked = 0;
  struct gen_limits l = {.threads = 2,
                         .ops = 1,
                         .final = true,
                         .distinct = true,
                         .changes = stack_changes,
                         .ctx = &asked};
  const char *all = list(stack_with_size, 3, &l);
  CHECK(strstr(all, "{a(1)} || {a(2)}; b(); c(); b(); c(); b()\n"));
}

/* ---- random ones ---- */

TEST(random_clients_keep_the_rules) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(9)}, .group = 1},
                         {.nargs = 0, .waits = true, .group = 2},
                         {.nargs = 0}};
  struct gen_object o = {ops, 3};
  struct generator *g = generator_new(&o, LIMITS(2, 2, 3));
  struct rng rng = {1};
  bool init[4] = {0};
  unsigned seen[3] = {0};
  for (int i = 0; i < 2000; i++) {
    struct client c;
    if (!CHECK(generator_random(g, &rng, 4, 5, &c)))
      break;
    client_check_invariants(&c);
    CHECK_INT(c.nthreads, 4);
    uint32_t length[5] = {0}, group[3] = {0}, longest = 0;
    for (uint32_t k = 0; k < c.ncalls; k++) {
      const struct call *call = &c.calls[k];
      seen[call->op]++;
      CHECK(call->thread || call->op != 1);
      if (++length[call->thread] > longest && call->thread)
        longest = length[call->thread];
      uint32_t *owner = &group[ops[call->op].group];
      if (owner != group && call->thread) {
        CHECK(*owner == 0 || *owner == call->thread);
        *owner = call->thread;
      }
    }
    for (uint32_t t = 1; t <= 4; t++)
      CHECK(length[t] >= 1);
    CHECK_INT(longest, 5);
    init[c.ninit] = true;
    client_free(&c);
  }
  CHECK(init[0] && init[1] && init[2] && init[3]);
  CHECK(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
  generator_free(g);
}

TEST(random_clients_follow_the_seed) {
  struct gen_op ops[] = {{.nargs = 0}, {.nargs = 0}, {.nargs = 0}};
  struct gen_object o = {ops, 3};
  struct generator *g = generator_new(&o, LIMITS(2, 2, 0));
  struct rng a = {5}, b = {5};
  struct client x, y;
  CHECK(generator_random(g, &a, 3, 4, &x));
  CHECK(generator_random(g, &b, 3, 4, &y));
  CHECK(client_equal(&x, &y));
  client_free(&x);
  client_free(&y);
  generator_free(g);
}

TEST(random_initial_calls_change_something) {
  unsigned asked = 0;
  struct gen_limits l = {.threads = 2,
                         .ops = 2,
                         .init = 2,
                         .distinct = true,
                         .changes = stack_changes,
                         .ctx = &asked};
  struct gen_object o = {stack_with_size, 3};
  struct generator *g = generator_new(&o, &l);
  struct rng rng = {1};
  unsigned with[3] = {0};
  for (int i = 0; i < 500; i++) {
    struct client c;
    if (!CHECK(generator_random(g, &rng, 2, 2, &c)))
      break;
    for (uint32_t n = 1; n <= c.ninit; n++)
      CHECK(size_after(&c, n) != size_after(&c, n - 1));
    with[c.ninit]++;
    client_free(&c);
  }
  CHECK(with[0] && with[1] && with[2] > with[1]);
  generator_free(g);
}

TEST(random_says_when_there_are_no_two_threads) {
  struct gen_op ops[] = {{.nargs = 0, .group = 1}, {.nargs = 0, .group = 1}};
  struct gen_object o = {ops, 2};
  struct generator *g = generator_new(&o, LIMITS(2, 2, 0));
  struct rng rng = {5};
  struct client c;
  CHECK(!generator_random(g, &rng, 4, 4, &c));
  CHECK(!generator_random(g, &rng, 1, 4, &c));
  CHECK(c.calls == NULL);
  generator_free(g);
}

/* ---- final calls ---- */

static const char *with_final(const struct gen_op *ops, uint32_t nops,
                              const char *text) {
  static struct buf b;
  uint8_t nargs[4];
  for (uint32_t i = 0; i < nops; i++)
    nargs[i] = ops[i].nargs;
  struct op_names n = {names_list, nops};
  struct client c, d;
  struct error e = {0};
  if (!CHECK_INT(client_read(&c, text, &n, nargs, &e), 0))
    return "";
  generate_final(&(struct gen_object){ops, nops}, &c, &d);
  client_check_invariants(&d);
  buf_clear(&b);
  client_print(&d, &names, &b);
  client_free(&c);
  client_free(&d);
  return buf_text(&b);
}

TEST(a_container_is_emptied) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(3)}},
                         {.nargs = 0, .returns = true}};
  CHECK_STR(with_final(ops, 2, "{a(1)} || {a(2); b()}"),
            "{a(1)} || {a(2); b()}; b(); b(); b()");
  CHECK_STR(with_final(ops, 2, "{b()} || {b()}"), "{b()} || {b()}; b()");
  CHECK_STR(with_final(ops, 2,
                       "a(1); a(1); a(1); a(1); a(1); {a(1); a(1)} || "
                       "{a(1); a(1)}"),
            "a(1); a(1); a(1); a(1); a(1); {a(1); a(1)} || {a(1); a(1)}; "
            "b(); b(); b(); b(); b(); b(); b(); b()");
}

TEST(nothing_that_waits_or_is_void_is_final) {
  struct gen_op ops[] = {{.nargs = 1, .args = {DATA(3)}},
                         {.nargs = 0, .returns = true, .waits = true},
                         {.nargs = 0, .returns = true}};
  CHECK_STR(with_final(ops, 3, "{a(1)} || {b()}"), "{a(1)} || {b()}; c(); c()");
  CHECK_STR(with_final(ops, 2, "{a(1)} || {b()}"), "{a(1)} || {b()}");
}

TEST(a_set_is_asked_for_the_values_it_was_given) {
  struct gen_op ops[] = {
      {.nargs = 1, .args = {RANGE(9)}, .returns = true},
      {.nargs = 1, .args = {RANGE(9)}, .returns = true},
  };
  CHECK_STR(with_final(ops, 2, "{a(4)} || {a(2)}"),
            "{a(4)} || {a(2)}; a(2); b(2); a(4); b(4)");
}

TEST(final_calls_are_shared_fairly) {
  struct gen_op ops[] = {{.nargs = 1, .args = {RANGE(9)}, .returns = true},
                         {.nargs = 0, .returns = true},
                         {.nargs = 2, .args = {RANGE(9), RANGE(9)}}};
  CHECK_STR(with_final(ops, 3, "{a(1); a(2); a(3)} || {a(4); a(5); a(6)}"),
            "{a(1); a(2); a(3)} || {a(4); a(5); a(6)}; "
            "b(); b(); b(); b(); a(1); a(2); a(3); a(4)");
  struct gen_op pair[] = {
      {.nargs = 2, .args = {RANGE(2), RANGE(3)}, .returns = true}};
  CHECK_STR(with_final(pair, 1, "{a(1, 3)} || {a(1, 1)}"),
            "{a(1, 3)} || {a(1, 1)}; a(1, 1); a(1, 3)");
}

TEST(the_final_mode_adds_them) {
  struct gen_op ops[] = {{.nargs = 0, .group = 1},
                         {.nargs = 0, .returns = true, .group = 2}};
  struct gen_limits l = {.threads = 2, .ops = 1, .final = true};
  CHECK_STR(list(ops, 2, &l), "{a()} || {b()}; b(); b()\n");
}

TEST_MAIN
