/*
 * Comparing the monitors with the definition: histories of two kinds, and what
 * must be true of each answer.
 *
 * One kind is that of random_log.h, with results that were exchanged: long
 * stretches of it make sense.  The other is arbitrary: operations with random
 * intervals that return a random one of the values that were given, or none.
 */
#ifndef TESTS_AGREE_MONITOR_LOGS_H
#define TESTS_AGREE_MONITOR_LOGS_H

#include "log_types.h"
#include "oracle/log_brute.h"
#include "oracle/log_cut.h"
#include "random_log.h"

#include "history/log_engine.h"
#include "test.h"

struct monitor_tally {
  uint32_t yes, no, refused;
  uint32_t pending[2]; /* linearizable, not */
  uint32_t deep;       /* the core has four operations or more */
  uint32_t orders;     /* that the monitor made */
  uint32_t watched[2]; /* by the watch of the type, linearizable and not … */
  uint32_t instead;    /* … where the monitor does not know */
};

static void monitor_show(const struct log_problem *p) {
  struct buf b = {0};
  for (uint32_t i = 0; i < p->nops; i++) {
    const struct log_op *o = p->ops[i].op;
    buf_printf(&b, "  [%u, %d] ", o->call,
               o->ret == LOG_PENDING ? -1 : (int)o->ret);
    log_print_op(p->log, o, &b);
    buf_putc(&b, '\n');
  }
  fprintf(stderr, "%s:\n%s", p->type->shape, buf_text(&b));
  buf_free(&b);
}

/* The definition, or search where that would take too long. */
static void monitor_exact(const struct log_problem *p, struct log_answer *out) {
  struct log_budget none = {0};
  if (p->nops <= 6)
    check_log_brute(p, out);
  else
    check_exact(p, &none, false, out);
}

/* The core alone, with the same times. */
static bool monitor_core_is_bad(const struct log_problem *p,
                                const struct log_answer *a) {
  struct log_problem core = *p;
  struct log_answer brute = {0};
  core.ops = xcalloc(p->nops + 1, sizeof *core.ops);
  core.nops = 0;
  bool sorted = true;
  for (uint32_t i = 0; i < a->core.len; i++) {
    sorted &= i == 0 || a->core.at[i] > a->core.at[i - 1];
    core.ops[core.nops++] = p->ops[a->core.at[i]];
  }
  monitor_exact(&core, &brute);
  bool bad = brute.verdict == LOG_VIOLATION;
  log_answer_free(&brute);
  free(core.ops);
  return bad && sorted;
}

/* What search says of the history up to this time. */
static enum log_verdict monitor_until(const struct log_problem *p,
                                      uint32_t until) {
  struct log_cut cut;
  struct log_answer a = {0};
  CHECK(log_cut_make(&cut, p, until));
  monitor_exact(&cut.problem, &a);
  enum log_verdict v = a.verdict;
  log_answer_free(&a);
  log_cut_free(&cut);
  return v;
}

/* The watch of the type, which is asked where there are pending operations. */
static bool watched_agrees(const struct log_problem *p, bool refused,
                           struct monitor_tally *t) {
  struct log_answer a = {0}, exact = {0};
  struct log_budget none = {0};
  if (!check_watched(p, &none, &a))
    return true;
  monitor_exact(p, &exact);
  bool ok = CHECK_INT(a.verdict, exact.verdict);
  t->watched[a.verdict == LOG_VIOLATION]++;
  t->instead += refused;
  if (ok && a.verdict == LOG_VIOLATION) {
    uint32_t ret = p->ops[a.at].op->ret;
    ok &= CHECK(monitor_core_is_bad(p, &a));
    ok &= CHECK_INT(monitor_until(p, ret), LOG_VIOLATION);
    ok &= CHECK_INT(monitor_until(p, ret - 1), LOG_LINEARIZABLE);
  }
  log_answer_free(&a);
  log_answer_free(&exact);
  return ok;
}

static bool monitor_agrees(const struct log_problem *p,
                           struct monitor_tally *t) {
  struct log_answer a = {0}, exact = {0};
  const char *why = NULL;
  bool ok = true, pending = false, returned = false;
  if (!check_monitor_order(p, true, &a, &why)) {
    t->refused++;
    return CHECK(why) && watched_agrees(p, true, t);
  }
  ok = watched_agrees(p, false, t);
  monitor_exact(p, &exact);
  for (uint32_t i = 0; i < p->nops; i++)
    *(p->ops[i].op->ret == LOG_PENDING ? &pending : &returned) = true;
  bool no = a.verdict == LOG_VIOLATION;
  *(no ? &t->no : &t->yes) += 1;
  t->pending[no] += pending;
  t->deep += a.core.len >= 4;
  ok &= CHECK_INT(a.verdict, exact.verdict);
  if (no) {
    ok &= CHECK(a.reason && a.reason[0]);
    ok &= CHECK(monitor_core_is_bad(p, &a));
    if (!ok)
      fprintf(stderr, "reason: %s; core of %u\n", a.reason, a.core.len);
  }
  if (a.order.len || (!no && returned)) {
    t->orders++;
    ok &= CHECK_STR(order_fault(p, a.order.at, a.order.len, !no), NULL);
  }
  log_answer_free(&a);
  log_answer_free(&exact);
  return ok;
}

/* Whether monitor and search agree on the log, as the type understands it. */
static bool monitor_compare(struct type *type, const struct log *l,
                            struct monitor_tally *t) {
  struct error e = {0};
  struct log_problem p = {.log = l, .type = type, .nops = l->ops.len};
  p.ops = xcalloc(l->ops.len + 1, sizeof *p.ops);
  bool ok = true;
  for (uint32_t i = 0; i < l->ops.len && ok; i++)
    ok = CHECK_INT(type->prepare(type, l, &l->ops.at[i], &p.ops[i], &e), 0);
  ok = ok && monitor_agrees(&p, t);
  if (!ok)
    monitor_show(&p);
  free(p.ops);
  return ok;
}

/* Calls and returns of n operations of different processes, at most `open` at
 * once; percent of them pending.  Names, arguments and results are missing. */
static inline struct log monitor_intervals(struct rng *r, uint32_t n,
                                           uint32_t open, uint32_t pending,
                                           bool stretch) {
  struct log l = {.type_argument = DATUM_NONE};
  uint32_t at[16], nat = 0;
  while (l.ops.len < n || nat) {
    if (stretch) /* as if the log had other operations too */
      l.end += (uint32_t)rng_below(r, 50);
    if (l.ops.len < n && nat < open && (!nat || rng_below(r, 2))) {
      struct log_op o = {.call = l.end++,
                         .ret = LOG_PENDING,
                         .process = l.ops.len,
                         .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                         .result = DATUM_NONE,
                         .order = LOG_NO_HINT};
      at[nat++] = l.ops.len;
      vec_push(&l.ops, o);
    } else {
      uint32_t i = (uint32_t)rng_below(r, nat);
      if (rng_below(r, 100) >= pending)
        l.ops.at[at[i]].ret = l.end++;
      at[i] = at[--nat];
    }
  }
  l.nprocesses = n;
  return l;
}

static inline uint16_t monitor_name(struct log *l, const char *name) {
  return log_function(l, name, strlen(name));
}

static inline bool monitor_pends(const struct log_op *o) {
  return o->ret == LOG_PENDING;
}

/* Histories of random_log.h without repeated values. */
static inline bool monitor_plausible(struct type *type, const char *shape,
                                     struct rng *r, struct monitor_tally *t) {
  bool longer = rng_below(r, 8) == 0;
  struct random_log want = {
      .shape = shape,
      .seed = rng_next(r),
      .operations = (longer ? 10 : 1) + (uint32_t)rng_below(r, longer ? 30 : 8),
      .processes = 1 + (uint32_t)rng_below(r, longer ? 3 : 4),
      .keys = 1,
      .values = strstr(shape, "set") ? 1 : 0, /* one key of a set */
      .removals = 20 + (uint32_t)rng_below(r, 60),
      .reads = 1 + (uint32_t)rng_below(r, 50),
      .pending = rng_below(r, 2) ? (uint32_t)rng_below(r, longer ? 10 : 40) : 0,
      .mutations = (uint32_t)rng_below(r, 4)};
  struct log l = random_log(&want);
  bool ok = monitor_compare(type, &l, t);
  log_free(&l);
  return ok;
}

/* An arbitrary history, filled in by `fill`. */
typedef void monitor_fill(struct log *l, struct rng *r);
static inline bool monitor_arbitrary(struct type *type, monitor_fill *fill,
                                     struct rng *r, struct monitor_tally *t) {
  uint32_t pending = rng_below(r, 2) ? (uint32_t)rng_below(r, 40) : 0;
  struct log l = monitor_intervals(r, 1 + (uint32_t)rng_below(r, 10),
                                   1 + (uint32_t)rng_below(r, 4), pending,
                                   rng_below(r, 2));
  fill(&l, r);
  bool ok = monitor_compare(type, &l, t);
  log_free(&l);
  return ok;
}

/* Both kinds, `rounds` of each. */
static inline void monitor_rounds(const char *shape, const char *log_shape,
                                  monitor_fill *fill, uint32_t rounds) {
  struct monitor_tally t = {0};
  struct rng r = {rounds + shape[0]};
  struct error e = {0};
  struct type *type = NULL;
  for (uint32_t i = 0; i < rounds && test_errors < 5; i++) {
    if (i % 256 == 0) { /* an old one has numbered many states */
      type_free(type);
      type = type_open(shape, DATUM_NONE, &e);
      if (!CHECK(type))
        return;
    }
    if (log_shape)
      monitor_plausible(type, log_shape, &r, &t);
    monitor_arbitrary(type, fill, &r, &t);
  }
  type_free(type);
  printf(
      "%s: %u linearizable, %u not (%u with large cores), %u not decided; "
      "pending %u and %u; %u orders; watched %u and %u, %u of them not decided "
      "else\n",
      shape, t.yes, t.no, t.deep, t.refused, t.pending[0], t.pending[1],
      t.orders, t.watched[0], t.watched[1], t.instead);
  CHECK(t.orders > t.yes / 10 * 9); /* in the others nothing returned */
  CHECK(t.yes > rounds / 10);
  CHECK(t.no > rounds / 10);
  CHECK(t.deep > rounds / 30);
  CHECK(t.pending[0] > rounds / 40);
  CHECK(t.pending[1] > rounds / 40);
  if (strstr(shape, "stack") || strstr(shape, "pqueue")) { /* none is left */
    CHECK(t.instead > rounds / 1000);
    CHECK_INT(t.instead, t.refused);
  }
}

#endif
