/*
 * A stream says after each event what the definition says of the history so
 * far, in which open operations are pending with whatever result.
 */
#include "history/stream/online.h"
#include "oracle/log_brute.h"

#include "random_log.h"
#include "stream.h"
#include "test.h"

/* The history up to and with a time, by the definition. */
static enum log_verdict verdict_until(const struct log *l, uint32_t until) {
  struct error e = {0};
  struct log_answer a = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct type_op *ops = xcalloc(l->ops.len + 1, sizeof *ops);
  struct log_op *logged = xcalloc(l->ops.len + 1, sizeof *logged);
  struct log_problem p = {l, t, ops, 0};
  for (uint32_t i = 0; i < l->ops.len && l->ops.at[i].call <= until; i++) {
    struct log_op *o = &logged[i];
    *o = l->ops.at[i];
    if (o->ret > until) {
      o->ret = LOG_PENDING;
      o->result = DATUM_NONE;
    }
    CHECK_INT(t->prepare(t, l, o, &ops[p.nops++], &e), 0);
  }
  check_log_brute(&p, &a);
  enum log_verdict v = a.verdict;
  log_answer_free(&a);
  free(ops);
  free(logged);
  type_free(t);
  return v;
}

static bool says_the_same(const struct log *l, const struct online_options *o,
                          struct rng *r, bool *bad) {
  struct error e = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct online *x = online_new(t, o);
  struct stream s = stream_of(l);
  bool same = true;
  uint64_t nth = 0;
  *bad = false;
  for (uint32_t time = 0; time < l->end && same && !*bad; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    nth++;
    same &= CHECK_INT(online_add(x, &ev, &e), 0);
    struct online_answer a = online_answer(x);
    same &= CHECK_INT(a.verdict, verdict_until(l, time));
    *bad = a.verdict == LOG_VIOLATION;
    if (*bad)
      same &= CHECK_INT(a.event, nth) && CHECK_HAS(a.text, "no order");
    /* Some of those that never return say so. */
    const struct log_op *op = &l->ops.at[s.at[time] / 2];
    if (op->ret == LOG_PENDING && rng_below(r, 2)) {
      ev.kind = LOG_INFO;
      nth++;
      same &= CHECK_INT(online_add(x, &ev, &e), 0);
    }
  }
  if (e.code)
    fprintf(stderr, "%s\n", e.text);
  free(s.at);
  online_free(x);
  type_free(t);
  return same;
}

/* Looking ahead it says of the whole what the definition says, and the line of
 * a return behind which no prefix is good. */
static bool looks_ahead(const struct log *l, struct online_options o,
                        struct rng *r) {
  struct error e = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct stream s = stream_of(l);
  o.lookahead = true;
  struct online *x = online_new(t, &o);
  bool same = true;
  for (uint32_t time = 0; time < l->end && same; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    ev.line = time + 1;
    same &= CHECK_INT(online_add(x, &ev, &e), 0);
    if (ev.kind == LOG_CALL && rng_below(r, 2) &&
        l->ops.at[s.at[time] / 2].ret == LOG_PENDING) {
      ev.kind = LOG_INFO;
      same &= CHECK_INT(online_add(x, &ev, &e), 0);
    }
  }
  online_end(x);
  struct online_answer a = online_answer(x);
  same &= CHECK_INT(a.verdict, verdict_until(l, l->end));
  if (a.verdict == LOG_VIOLATION) {
    const struct log_op *op = &l->ops.at[s.at[a.line - 1] / 2];
    uint32_t last = 0; /* return of what was open when it returned */
    same &= CHECK(op->ret == a.line - 1) && CHECK_HAS(a.text, "no order");
    for (uint32_t i = 0; i < l->ops.len; i++)
      if (l->ops.at[i].call < op->ret && l->ops.at[i].ret != LOG_PENDING &&
          l->ops.at[i].ret > last)
        last = l->ops.at[i].ret;
    same &= CHECK_INT(verdict_until(l, last), LOG_VIOLATION);
  }
  free(s.at);
  online_free(x);
  type_free(t);
  return same;
}

static void compare(const char *shape) {
  enum { N = 6000 };
  uint32_t nbad = 0;
  for (uint64_t seed = 0; seed < N; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 3 + seed % 5,
                              .processes = 2 + seed % 3,
                              .values = seed % 4,
                              .keys = 2,
                              .no_empty = seed % 5 == 0,
                              .pending = seed % 3 ? 0 : 20,
                              .mutations = seed % 2};
    struct online_options o = {.whole = seed % 7 == 0,
                               .late = seed % 4 == 1 ? 5 : 0};
    struct rng r = {seed};
    struct log l = random_log(&want);
    bool bad, same = says_the_same(&l, &o, &r, &bad);
    same = same && looks_ahead(&l, o, &r);
    nbad += bad;
    log_free(&l);
    if (!same) {
      fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
      return;
    }
  }
  CHECK(nbad > N / 50);
}

TEST(of_registers) {
  compare("register");
  compare("cas-register");
}
TEST(of_containers) {
  compare("queue");
  compare("stack");
  compare("pqueue");
}
TEST(of_sets) {
  compare("set");
  compare("multiset");
}
TEST(of_maps) {
  compare("map");
  compare("kv");
}
TEST(of_lists) { compare("list-append"); }
TEST(of_counters) { compare("counter"); }

static enum log_verdict looks_ahead_long(const struct log *l,
                                         const struct online_options *from) {
  struct error e = {0};
  struct online_options o = *from;
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct stream s = stream_of(l);
  o.lookahead = true;
  struct online *x = online_new(t, &o);
  for (uint32_t time = 0; time < l->end; time++) {
    struct log_event ev;
    if (stream_event(&s, time, &ev))
      CHECK_INT(online_add(x, &ev, &e), 0);
  }
  online_end(x);
  enum log_verdict v = online_answer(x).verdict;
  free(s.at);
  online_free(x);
  type_free(t);
  return v;
}

/* Long ones: against the frontier, which knows the shortest bad prefix. */
static void compare_long(const char *shape, uint64_t seed) {
  struct random_log want = {.shape = shape,
                            .seed = seed,
                            .operations = 400,
                            .processes = 3,
                            .values = seed % 2 ? 5 : 0,
                            .removals = 70,
                            .mutations = seed % 3 ? 1 : 0};
  struct log l = random_log(&want);
  struct error e = {0};
  struct log_answer a = {0};
  struct type *t = type_open(l.type, l.type_argument, &e);
  struct type_op *ops = xcalloc(l.ops.len, sizeof *ops);
  struct log_problem p = {&l, t, ops, l.ops.len};
  struct log_budget none = {0};
  for (uint32_t i = 0; i < l.ops.len; i++)
    CHECK_INT(t->prepare(t, &l, &l.ops.at[i], &ops[i], &e), 0);
  check_frontier(&p, &none, false, &a);
  struct type *u = type_open(l.type, l.type_argument, &e);
  struct online_options o = {.late = seed % 4 ? 0 : 50};
  struct online *x = online_new(u, &o);
  struct stream s = stream_of(&l);
  for (uint32_t time = 0; time < l.end; time++) {
    struct log_event ev;
    if (stream_event(&s, time, &ev))
      CHECK_INT(online_add(x, &ev, &e), 0);
  }
  struct online_answer b = online_answer(x);
  CHECK_INT(looks_ahead_long(&l, &o), a.verdict);
  if (!CHECK_INT(b.verdict, a.verdict) ||
      (a.verdict == LOG_VIOLATION &&
       !CHECK_INT(b.event, l.ops.at[a.at].ret + 1)))
    fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
  free(s.at);
  online_free(x);
  log_answer_free(&a);
  free(ops);
  type_free(t);
  type_free(u);
  log_free(&l);
}

TEST(long_ones) {
  for (uint32_t s = 0; random_log_shapes[s]; s++)
    for (uint64_t seed = 0; seed < 30; seed++)
      compare_long(random_log_shapes[s], seed);
}

TEST_MAIN
