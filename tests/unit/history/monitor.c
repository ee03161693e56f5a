/*
 * Monitors on histories written by hand: verdict, core, the sentence that says
 * why, and which assumption fails where they do not answer.
 */
#include "history/log_check.h"
#include "test.h"

#include <stdlib.h>

enum { NEVER = -1, NOTHING = -1000, NONE = -1001, YES = -1002, NO = -1003 };

/* f(arg, arg2) = result in [call, ret]; NONE: there is none. */
struct row {
  const char *f;
  int arg, arg2, result;
  int call, ret;
};

static datum datum_of(int v) {
  return v == NOTHING ? DATUM_NIL
         : v == NONE  ? DATUM_NONE
         : v == YES   ? DATUM_TRUE
         : v == NO    ? DATUM_FALSE
                      : datum_number(v);
}

struct checked {
  struct log log;
  struct type *type;
  struct log_problem p;
  struct log_answer a;
  const char *why;
  bool answered;
};

static void check_rows(struct checked *c, const char *type,
                       const struct row *rows, uint32_t n) {
  struct error e = {0};
  *c = (struct checked){.log = {.type_argument = DATUM_NONE}};
  c->type = type_open(type, DATUM_NONE, &e);
  for (uint32_t i = 0; i < n; i++) {
    const struct row *r = &rows[i];
    struct log_op o = {.call = (uint32_t)r->call,
                       .ret = r->ret == NEVER ? LOG_PENDING : (uint32_t)r->ret,
                       .process = i,
                       .arg = {datum_of(r->arg), datum_of(r->arg2), DATUM_NONE},
                       .result = datum_of(r->result),
                       .order = LOG_NO_HINT};
    o.nargs = (uint8_t)((r->arg != NONE) + (r->arg2 != NONE));
    o.f = log_function(&c->log, r->f, strlen(r->f));
    vec_push(&c->log.ops, o);
  }
  c->log.end = 2 * n + 100;
  c->p = (struct log_problem){&c->log, c->type, NULL, n};
  c->p.ops = calloc(n + 1, sizeof *c->p.ops);
  for (uint32_t i = 0; i < n; i++)
    CHECK_INT(
        c->type->prepare(c->type, &c->log, &c->log.ops.at[i], &c->p.ops[i], &e),
        0);
  c->answered = check_monitor(&c->p, &c->a, &c->why);
}

static void checked_free(struct checked *c) {
  log_answer_free(&c->a);
  free(c->p.ops);
  type_free(c->type);
  log_free(&c->log);
}

#define ROWS(...)                                                              \
  (const struct row[]){__VA_ARGS__},                                           \
      sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row)

static void is_fine(const char *type, const struct row *rows, uint32_t n) {
  struct checked c;
  check_rows(&c, type, rows, n);
  if (CHECK(c.answered))
    CHECK_INT(c.a.verdict, LOG_LINEARIZABLE);
  checked_free(&c);
}

/* The core has so many operations. */
static void is_bad(const char *type, uint32_t ncore, const char *reason,
                   const struct row *rows, uint32_t n) {
  struct checked c;
  check_rows(&c, type, rows, n);
  if (CHECK(c.answered)) {
    CHECK_INT(c.a.verdict, LOG_VIOLATION);
    CHECK_INT(c.a.core.len, ncore);
    CHECK_STR(c.a.reason, reason);
  }
  checked_free(&c);
}

static void is_refused(const char *type, const char *why,
                       const struct row *rows, uint32_t n) {
  struct checked c;
  check_rows(&c, type, rows, n);
  CHECK(!c.answered);
  CHECK_HAS(c.why, why);
  checked_free(&c);
}

TEST(a_queue_gives_what_came_first) {
  is_fine("queue",
          ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 2, NONE, NONE, 2, 3},
               {"deq", NONE, NONE, 1, 4, 5}));
  is_bad("queue", 4, "3 was dequeued before 2, but was enqueued after it",
         ROWS({"enq", 2, NONE, NONE, 0, 1}, {"enq", 3, NONE, NONE, 2, 3},
              {"enq", 9, NONE, NONE, 4, 5}, {"deq", NONE, NONE, 3, 6, 7},
              {"deq", NONE, NONE, 2, 8, 9}));
  is_bad("queue", 3,
         "2 was dequeued, but 1, which was enqueued before it, was not",
         ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 2, NONE, NONE, 2, 3},
              {"deq", NONE, NONE, 2, 4, 5}));
  /* At the same time, either may be first. */
  is_fine("queue",
          ROWS({"enq", 1, NONE, NONE, 0, 2}, {"enq", 2, NONE, NONE, 1, 3},
               {"deq", NONE, NONE, 2, 4, 5}));
}

TEST(a_queue_is_not_empty_while_something_is_inside) {
  is_bad(
      "queue", 2, "deq() = nil, but 1 was inside all the time",
      ROWS({"enq", 1, NONE, NONE, 0, 1}, {"deq", NONE, NONE, NOTHING, 2, 3}));
  is_fine("queue", ROWS({"deq", NONE, NONE, NOTHING, 0, 1}));
  is_fine("queue", ROWS({"enq", 1, NONE, NONE, 0, 2},
                        {"deq", NONE, NONE, NOTHING, 1, 3}));
  is_fine("queue",
          ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 2, NONE, NONE, 2, 3}));
}

TEST(peeks_of_a_queue_contradict_each_other) {
  is_bad("queue", 4, "1 was at the front before 2, but was enqueued after it",
         ROWS({"enq", 2, NONE, NONE, 0, 1}, {"enq", 1, NONE, NONE, 2, 3},
              {"peek", NONE, NONE, 1, 4, 5}, {"peek", NONE, NONE, 2, 6, 7}));
}

TEST(nothing_comes_out_that_did_not_go_in) {
  is_bad("queue", 1, "deq() = 7, but nobody added 7",
         ROWS({"enq", 1, NONE, NONE, 0, 1}, {"deq", NONE, NONE, 7, 2, 3}));
  is_bad("stack", 3, "1 was removed twice, but added only once",
         ROWS({"push", 1, NONE, NONE, 0, 1}, {"pop", NONE, NONE, 1, 2, 4},
              {"pop", NONE, NONE, 1, 3, 5}));
  is_bad("stack", 2, "pop() = 1 returned before push(1) was called",
         ROWS({"pop", NONE, NONE, 1, 0, 1}, {"push", 1, NONE, NONE, 2, 3}));
}

TEST(a_stack_gives_what_came_last) {
  is_fine("stack",
          ROWS({"push", 1, NONE, NONE, 0, 1}, {"peek", NONE, NONE, 1, 2, 3},
               {"pop", NONE, NONE, 1, 4, 5}));
  is_bad("stack", 4,
         "neither of 1 and 2 can lie above the other: pop() = 1 while 2 was in "
         "the stack, and push(2) while 1 was",
         ROWS({"push", 1, NONE, NONE, 0, 1}, {"push", 2, NONE, NONE, 2, 3},
              {"pop", NONE, NONE, 1, 4, 5}, {"pop", NONE, NONE, 2, 6, 7}));
}

TEST(a_priority_queue_gives_the_least) {
  is_bad("pqueue", 3,
         "delete_min() = 5, but 3, which comes first, was inside all the time",
         ROWS({"insert", 5, NONE, NONE, 0, 1}, {"insert", 3, NONE, NONE, 2, 3},
              {"delete_min", NONE, NONE, 5, 4, 5}));
  is_fine("max-pqueue",
          ROWS({"insert", 5, NONE, NONE, 0, 1}, {"insert", 3, NONE, NONE, 2, 3},
               {"delete_max", NONE, NONE, 5, 4, 5}));
  /* By the second argument; of equal ones either. */
  is_fine("pqueue",
          ROWS({"insert", 5, 1, NONE, 0, 1}, {"insert", 3, 1, NONE, 2, 3},
               {"delete_min", NONE, NONE, 5, 4, 5}));
}

TEST(a_register_does_not_go_back) {
  is_bad("register", 3,
         "write(1) returned before write(2) was called, and that returned "
         "before read() = 1 was called, but 1 was written only once",
         ROWS({"write", 1, NONE, NONE, 0, 1}, {"write", 2, NONE, NONE, 2, 3},
              {"read", NONE, NONE, 1, 4, 5}));
  is_bad("register", 2,
         "read() = nil was called after write(1) returned, but nil can only "
         "be from before that",
         ROWS({"write", 1, NONE, NONE, 0, 1},
              {"read", NONE, NONE, NOTHING, 2, 3}));
  is_bad("register", 1, "read() = 4, but nobody wrote 4",
         ROWS({"read", NONE, NONE, 4, 0, 1}));
}

TEST(compare_and_sets_form_chains) {
  is_fine("cas-register",
          ROWS({"write", 1, NONE, NONE, 0, 1}, {"cas", 1, 2, YES, 2, 5},
               {"cas", 2, 3, YES, 3, 6}, {"read", NONE, NONE, 3, 7, 8}));
  is_bad("cas-register", 3,
         "both cas(1, 2) = true and cas(1, 3) = true replaced 1, which was "
         "written only once",
         ROWS({"write", 1, NONE, NONE, 0, 1}, {"cas", 1, 2, YES, 2, 5},
              {"cas", 1, 3, YES, 3, 6}));
  is_bad("cas-register", 2,
         "cas(1, 2) = true needs a value that is written only "
         "after it",
         ROWS({"cas", 1, 2, YES, 0, 5}, {"cas", 2, 1, YES, 1, 6}));
}

TEST(one_key_of_a_set_is_one_bit) {
  is_bad("set", 3,
         "contains(1) = true, but 1 was not there and nobody can have added it",
         ROWS({"add", 1, NONE, YES, 0, 1}, {"remove", 1, NONE, YES, 2, 3},
              {"contains", 1, NONE, YES, 4, 5}));
  is_fine("set",
          ROWS({"add", 1, NONE, NONE, 0, NEVER}, {"add", 1, NONE, YES, 1, 2},
               {"remove", 1, NONE, YES, 3, 4},
               {"contains", 1, NONE, YES, 5, 6}));
}

TEST(pending_operations) {
  /* Seen, so it took effect; not seen, so it does not matter. */
  is_fine("queue",
          ROWS({"enq", 1, NONE, NONE, 0, NEVER}, {"deq", NONE, NONE, 1, 1, 2},
               {"enq", 2, NONE, NONE, 3, NEVER},
               {"deq", NONE, NONE, NOTHING, 4, 5}));
  /* No pending removal helps. */
  is_bad("queue", 2, "deq() = nil, but 1 was inside all the time",
         ROWS({"enq", 1, NONE, NONE, 0, 1}, {"deq", NONE, NONE, NOTHING, 2, 3},
              {"deq", NONE, NONE, NONE, 4, NEVER}));
}

TEST(what_pending_removals_took) {
  is_fine("queue", ROWS({"enq", 1, NONE, NONE, 0, 1},
                        {"deq", NONE, NONE, NONE, 2, NEVER},
                        {"deq", NONE, NONE, NOTHING, 3, 4}));
  /* 1 and 3 are lost: each of the removals took one. */
  is_fine("queue",
          ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 2, NONE, NONE, 2, 3},
               {"deq", NONE, NONE, NONE, 4, NEVER},
               {"deq", NONE, NONE, 2, 5, 6}, {"enq", 3, NONE, NONE, 7, 8},
               {"deq", NONE, NONE, NONE, 9, NEVER},
               {"deq", NONE, NONE, NOTHING, 10, 11}));
  is_fine("stack",
          ROWS({"push", 1, NONE, NONE, 0, 1}, {"push", 2, NONE, NONE, 2, 3},
               {"pop", NONE, NONE, NONE, 4, NEVER},
               {"pop", NONE, NONE, 1, 5, 6}));
  /* Two are lost, but only one can have been taken: search must tell. */
  is_refused("queue", "pending removals",
             ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 2, NONE, NONE, 2, 3},
                  {"deq", NONE, NONE, NONE, 4, NEVER},
                  {"deq", NONE, NONE, NOTHING, 5, 6}));
}

TEST(a_hundred_processes_at_once) {
  struct row rows[300];
  for (int i = 0; i < 100; i++) {
    rows[i] = (struct row){"enq", i, NONE, NONE, i, 200 + i};
    rows[100 + i] = (struct row){"deq", NONE, NONE, 99 - i, 100 + i, 300 + i};
  }
  struct checked c;
  check_rows(&c, "queue", rows, 200);
  CHECK(c.answered && c.a.verdict == LOG_LINEARIZABLE);
  checked_free(&c);
}

TEST(assumptions_that_fail_are_named) {
  is_refused("queue", "a value was added twice",
             ROWS({"enq", 1, NONE, NONE, 0, 1}, {"enq", 1, NONE, NONE, 2, 3}));
  is_refused(
      "stack", "operations other than",
      ROWS({"push", 1, NONE, NONE, 0, 1}, {"size", NONE, NONE, 1, 2, 3}));
  is_refused(
      "register", "a value was written twice",
      ROWS({"write", 1, NONE, NONE, 0, 1}, {"write", 1, NONE, NONE, 2, 3}));
  is_refused("cas-register", "failed compare-and-set",
             ROWS({"write", 1, NONE, NONE, 0, 2}, {"cas", 1, 2, NO, 1, 3}));
  is_refused("set", "not split by key",
             ROWS({"add", 1, NONE, YES, 0, 1}, {"add", 2, NONE, YES, 2, 3}));
  /* A key of it is a whole set. */
  is_refused("keyed-set", "not split by element",
             ROWS({"add", 1, 5, YES, 0, 1}, {"add", 1, 6, YES, 2, 3}));
  is_refused("multiset", "added twice",
             ROWS({"add", 1, NONE, YES, 0, 1}, {"add", 1, NONE, YES, 2, 3}));
  is_refused("counter", "no monitor", ROWS({"inc", NONE, NONE, NONE, 0, 1}));
}

TEST(a_given_order_is_not_looked_at) {
  struct checked c;
  check_rows(&c, "queue", ROWS({"enq", 1, NONE, NONE, 0, 1}));
  c.log.ops.at[0].order = 7;
  CHECK(!check_monitor(&c.p, &c.a, &c.why));
  CHECK_HAS(c.why, "order");
  checked_free(&c);
}

TEST_MAIN
