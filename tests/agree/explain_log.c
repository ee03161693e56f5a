/*
 * Explanations of violations against the definition, on random small logs:
 *
 * - the core alone is not linearizable, and none of the parts that may be left
 *   out can be: operations that change nothing, values of containers;
 * - of a linearizable log nothing can be left out so that the rest seems wrong:
 *   the rules are sound;
 * - the shortest bad prefix is that of the definition, and the core explains
 *   it, not a fault that came later;
 * - the longest orders are orders, and none is longer.
 */
#include "history/explain/explain_int.h"
#include "log_types.h"
#include "oracle/log_brute.h"
#include "random_log.h"
#include "test.h"

enum { ROUNDS = 900, MOST_OPS = 8 };

static struct rng rng;

struct checked {
  struct log log;
  struct log_problem p;
  struct log_answer brute;
};

/* False: the type does not take what a mutation has made. */
static bool make(struct checked *c, struct type *type, const char *shape) {
  struct error e = {0};
  struct random_log want = {.shape = shape,
                            .seed = rng_next(&rng),
                            .operations =
                                2 + (uint32_t)rng_below(&rng, MOST_OPS - 1),
                            .processes = 2 + (uint32_t)rng_below(&rng, 3),
                            .values = (uint32_t)rng_below(&rng, 2) * 3,
                            .keys = 2,
                            .pending = (uint32_t)rng_below(&rng, 3) * 8,
                            .mutations = (uint32_t)rng_below(&rng, 3)};
  c->log = random_log(&want);
  c->p = (struct log_problem){.log = &c->log, .type = type};
  c->p.ops = xcalloc(c->log.ops.len + 1, sizeof *c->p.ops);
  c->p.nops = c->log.ops.len;
  c->brute = (struct log_answer){0};
  for (uint32_t i = 0; i < c->p.nops; i++)
    if (type->prepare(type, &c->log, &c->log.ops.at[i], &c->p.ops[i], &e))
      return false;
  check_log_brute(&c->p, &c->brute);
  return true;
}

static void drop(struct checked *c) {
  log_answer_free(&c->brute);
  free(c->p.ops);
  log_free(&c->log);
}

static bool brute_is_bad(const struct log_problem *p, const op_vec *ops) {
  struct log_problem q = explain_part(p, ops);
  struct log_answer a = {0};
  check_log_brute(&q, &a);
  bool bad = a.verdict == LOG_VIOLATION;
  log_answer_free(&a);
  free(q.ops);
  return bad;
}

static bool is_about(const struct type_op *o, datum value) {
  return (o->role == ROLE_ADD && o->arg[0] == value) ||
         ((o->role == ROLE_REMOVE || o->role == ROLE_PEEK) &&
          o->result == value);
}

static bool is_simple(const struct log_problem *p, const op_vec *core) {
  for (uint32_t i = 0; i < core->len; i++) {
    uint8_t role = p->ops[core->at[i]].role;
    if (role != ROLE_ADD && role != ROLE_REMOVE && role != ROLE_PEEK)
      return false;
  }
  return true;
}

/* The operations, and whatever all others of the log may have done. */
static bool is_bad_with_others(const struct log_problem *p, const op_vec *ops) {
  struct arena arena = {0};
  struct log_problem q = *p;
  struct log_answer a = {0};
  q.ops = xcalloc(q.nops + 1, sizeof *q.ops);
  q.nops = 0;
  for (uint32_t i = 0, k = 0; i < p->nops; i++) {
    bool mine = k < ops->len && ops->at[k] == i;
    k += mine;
    if (mine || op_is_pending(&p->ops[i]))
      q.ops[q.nops++] = p->ops[i];
    else if (!explain_changes_nothing(p->type, &p->ops[i]))
      q.ops[q.nops++] = *op_made_pending(p, &p->ops[i], &arena);
  }
  check_log_brute(&q, &a);
  bool bad = a.verdict == LOG_VIOLATION;
  log_answer_free(&a);
  arena_free(&arena);
  free(q.ops);
  return bad;
}

/* Without what `leave` says: linearizable, if perhaps only because of what the
 * others may have done, or nothing is left. */
static bool is_right_without(const struct log_problem *p, const op_vec *core,
                             uint32_t single, datum value) {
  op_vec rest = {0};
  for (uint32_t i = 0; i < core->len; i++)
    if (i != single &&
        (value == DATUM_NONE || !is_about(&p->ops[core->at[i]], value)))
      vec_push(&rest, core->at[i]);
  bool right =
      !rest.len || !brute_is_bad(p, &rest) || !is_bad_with_others(p, &rest);
  vec_free(&rest);
  return right;
}

static void core_is_minimal(const struct log_problem *p, const op_vec *core) {
  bool container = is_simple(p, core);
  for (uint32_t i = 0; i < core->len; i++) {
    const struct type_op *o = &p->ops[core->at[i]];
    if (explain_changes_nothing(p->type, o) && core->len > 1)
      CHECK(is_right_without(p, core, i, DATUM_NONE));
    if (container && o->role == ROLE_ADD)
      CHECK(is_right_without(p, core, UINT32_MAX, o->arg[0]));
  }
}

static void orders_are_longest(const struct log_problem *p,
                               const struct log_explained *x) {
  op_vec core = {x->core.at, x->core.len, x->core.cap};
  struct log_problem q = explain_part(p, &core);
  struct log_answer a = {0};
  CHECK(x->partials.len > 0);
  for (uint32_t i = 0; i < x->partials.len; i++) {
    const struct log_partial *partial = &x->partials.at[i];
    uint32_t order[MOST_OPS], n = partial->order.len;
    for (uint32_t k = 0; k < n; k++)
      for (order[k] = 0; core.at[order[k]] != partial->order.at[k];)
        order[k]++;
    CHECK_STR(order_fault(&q, order, n, false), NULL);
    CHECK_INT(n, x->partials.at[0].order.len);
    CHECK(n < core.len);
  }
  check_depth_first(&q, &(struct log_budget){0}, true, &a);
  CHECK(a.order.len <= x->partials.at[0].order.len);
  log_answer_free(&a);
  free(q.ops);
}

/* Mostly the core has the return that the shortest prefix ends with: what it
 * returned can also say that it had nothing to do with the fault, as a removal
 * of another value. */
static uint32_t with_end, without_end;
static void core_ends_with_the_prefix(const struct log_explained *x) {
  bool has = false;
  for (uint32_t i = 0; i < x->core.len; i++)
    has |= x->core.at[i] == x->prefix;
  *(has ? &with_end : &without_end) += 1;
}

static void explained(const struct checked *c) {
  struct log_options o = {0};
  struct log_answer a = {0};
  struct log_explained x;
  check_log(&c->p, &o, &a);
  if (CHECK_INT(a.verdict, LOG_VIOLATION)) {
    explain_log(&c->p, &a, &(struct log_budget){0}, &x);
    op_vec core = {x.core.at, x.core.len, x.core.cap};
    CHECK(core.len > 0);
    CHECK(brute_is_bad(&c->p, &core));
    CHECK(x.minimal);
    core_is_minimal(&c->p, &core);
    CHECK(x.prefix_is_shortest);
    CHECK_INT(x.prefix, c->brute.at);
    CHECK(x.reason && *x.reason);
    orders_are_longest(&c->p, &x);
    core_ends_with_the_prefix(&x);
    log_explained_free(&x);
  }
  log_answer_free(&a);
}

static void nothing_goes(const struct checked *c) {
  struct log_budget none = {0};
  struct explain_job j = {
      .p = &c->p, .budget = &none, .keep = LOG_NO_OP, .write = LOG_NO_OP};
  j.leave = xcalloc(c->p.nops + 1, 1);
  j.shadow = xcalloc(c->p.nops + 1, 1);
  for (uint32_t i = 0; i < c->p.nops; i++)
    vec_push(&j.core, i);
  explain_reduce(&j);
  CHECK_INT(j.core.len, c->p.nops);
  vec_free(&j.core);
  free(j.leave);
  free(j.shadow);
}

static void show(const struct checked *c) {
  struct buf b = {0};
  for (uint32_t i = 0; i < c->p.nops; i++) {
    const struct log_op *o = c->p.ops[i].op;
    buf_printf(&b, "  [%u, %d] ", o->call,
               o->ret == LOG_PENDING ? -1 : (int)o->ret);
    log_print_op(&c->log, o, &b);
    buf_putc(&b, '\n');
  }
  fprintf(stderr, "%s:\n%s", c->p.type->name, buf_text(&b));
  buf_free(&b);
}

/* Lists that are mostly what was appended by then: reads show the items of a
 * register's log that were written before, in the order of calls or nearly. */
static void make_lists(struct log *l) {
  datum items[MOST_OPS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    bool append = o->nargs > 0;
    o->f = log_function(l, append ? "append" : "read", append ? 6 : 4);
    o->arg[0] = datum_text("k", 1);
    o->arg[1] = append ? datum_number(i + 1) : DATUM_NONE;
    o->nargs = append ? 2 : 1;
    uint32_t less = (uint32_t)rng_below(&rng, 3);
    if (append)
      items[n++] = o->arg[1];
    else if (o->ret != LOG_PENDING)
      o->result = datum_list(items, less > n ? 0 : n - less);
    if (n && rng_below(&rng, 5) == 0) /* two in the other order, a new one */
      items[rng_below(&rng, n)] =
          rng_below(&rng, 3) ? items[n - 1] : datum_number(99);
  }
}

TEST(cores_of_lists_hold_whatever_the_others_do) {
  struct error e = {0};
  struct type *type = type_open("list-append", DATUM_NONE, &e);
  uint32_t bad = 0;
  rng.state = 99;
  for (uint32_t k = 0; k < 6 * ROUNDS && test_errors < 4; k++) {
    struct random_log want = {.shape = "register",
                              .seed = rng_next(&rng),
                              .operations =
                                  2 + (uint32_t)rng_below(&rng, MOST_OPS - 1),
                              .processes = 2 + (uint32_t)rng_below(&rng, 3),
                              .pending = (uint32_t)rng_below(&rng, 3) * 8};
    struct checked c = {.log = random_log(&want)};
    unsigned before = test_errors;
    make_lists(&c.log);
    c.p = (struct log_problem){.log = &c.log, .type = type};
    c.p.ops = xcalloc(c.log.ops.len + 1, sizeof *c.p.ops);
    c.p.nops = c.log.ops.len;
    for (uint32_t i = 0; i < c.p.nops; i++)
      CHECK_INT(type->prepare(type, &c.log, &c.log.ops.at[i], &c.p.ops[i], &e),
                0);
    check_log_brute(&c.p, &c.brute);
    if (c.brute.verdict == LOG_VIOLATION) {
      struct log_options o = {0};
      struct log_answer a = {0};
      struct log_explained x;
      bad++;
      check_log(&c.p, &o, &a);
      explain_log(&c.p, &a, &(struct log_budget){0}, &x);
      CHECK(x.minimal && x.prefix_is_shortest);
      CHECK_INT(x.prefix, c.brute.at);
      CHECK(is_bad_with_others(&c.p, &(op_vec){x.core.at, x.core.len, 0}));
      orders_are_longest(&c.p, &x);
      log_explained_free(&x);
      log_answer_free(&a);
    }
    if (test_errors > before)
      show(&c);
    drop(&c);
  }
  CHECK(bad > 1000);
  type_free(type);
}

TEST(cores_are_wrong_and_minimal) {
  uint32_t bad = 0, good = 0;
  for (uint32_t s = 0; random_log_shapes[s]; s++) {
    struct error e = {0};
    struct type *type = type_open(random_log_shapes[s], DATUM_NONE, &e);
    if (!type && !strcmp(random_log_shapes[s], "map"))
      type = type_open("cas-registers", DATUM_NONE, &e);
    if (!CHECK(type != NULL))
      continue;
    rng.state = 4711 + s;
    for (uint32_t k = 0; k < ROUNDS && test_errors < 4; k++) {
      struct checked c;
      unsigned before = test_errors;
      if (make(&c, type, random_log_shapes[s])) {
        bool violation = c.brute.verdict == LOG_VIOLATION;
        bad += violation;
        good += c.brute.verdict == LOG_LINEARIZABLE;
        if (violation)
          explained(&c);
        else if (c.brute.verdict == LOG_LINEARIZABLE)
          nothing_goes(&c);
      }
      if (test_errors > before)
        show(&c);
      drop(&c);
    }
    type_free(type);
  }
  CHECK(bad > 1000);
  CHECK(good > 1000);
  CHECK(with_end > 1000);
  CHECK(with_end > 30 * without_end);
}

/* ---- long ones, by X6 ---- */

/* One of the last results is another one. */
static void spoil(struct log *l) {
  for (uint32_t i = l->ops.len - (uint32_t)rng_below(&rng, 8); i-- > 60;) {
    datum *r = &l->ops.at[i].result;
    if (*r == DATUM_TRUE || *r == DATUM_FALSE)
      *r = *r == DATUM_TRUE ? DATUM_FALSE : DATUM_TRUE;
    else if (*r == DATUM_NIL || datum_is_number(*r))
      *r = *r == DATUM_NIL ? datum_number(1)
                           : datum_number(datum_to_number(*r) + 2);
    else
      continue;
    return;
  }
}

static struct checked make_long(struct type *type, const char *shape,
                                bool wrong) {
  struct error e = {0};
  struct random_log want = {.shape = shape,
                            .seed = rng_next(&rng),
                            .operations = 70 + (uint32_t)rng_below(&rng, 100),
                            .processes = 1 + (uint32_t)rng_below(&rng, 3),
                            .values = 3,
                            .pending = (uint32_t)rng_below(&rng, 2)};
  struct checked c = {.log = random_log(&want)};
  if (wrong)
    spoil(&c.log);
  c.p = (struct log_problem){.type = type};
  c.p.ops = xcalloc(c.log.ops.len + 1, sizeof *c.p.ops);
  for (uint32_t i = 0; i < c.log.ops.len; i++)
    if (!type->prepare(type, &c.log, &c.log.ops.at[i], &c.p.ops[i], &e))
      c.p.nops++;
  return c;
}

/* The operations, of which one may count as a write of what it saw. */
static struct log_problem part_since(const struct log_problem *p,
                                     const op_vec *ops, uint32_t since) {
  struct log_problem q = explain_part(p, ops);
  for (uint32_t i = 0; i < ops->len; i++)
    if (ops->at[i] == since)
      CHECK(p->type->as_write(p->type, &p->ops[since], &q.ops[i]));
  return q;
}

static bool is_bad_since(const struct log_problem *p, const op_vec *ops,
                         uint32_t since) {
  struct log_problem q = part_since(p, ops, since);
  struct log_answer a = {0};
  check_exact(&q, &(struct log_budget){0}, false, &a);
  bool bad = a.verdict == LOG_VIOLATION;
  log_answer_free(&a);
  free(q.ops);
  return bad;
}

/* How many cores were shortened by a read of a counter, or are large. */
static uint32_t nsince, nlarge;
static void long_is_explained(const struct checked *c,
                              const struct log_answer *a) {
  struct log_explained x;
  explain_log(&c->p, a, &(struct log_budget){.steps = 100000000}, &x);
  op_vec core = {x.core.at, x.core.len, 0};
  CHECK(core.len > 0 && core.len < c->p.nops);
  CHECK(is_bad_since(&c->p, &core, x.since));
  /* Nothing that returned before it was called is there. */
  for (uint32_t i = 0; i < core.len && x.since != LOG_NO_OP; i++)
    CHECK(c->p.ops[core.at[i]].op->ret >= c->p.ops[x.since].op->call);
  nsince += x.since != LOG_NO_OP;
  if (core.len > 64) {
    struct log_problem q = part_since(&c->p, &core, x.since);
    uint32_t order[200], n = 0;
    const struct log_partial *partial = &x.partials.at[0];
    for (; n < partial->order.len; n++)
      for (order[n] = 0; core.at[order[n]] != partial->order.at[n];)
        order[n]++;
    CHECK_STR(order_fault(&q, order, n, false), NULL);
    CHECK(partial->refusals.len > 0);
    CHECK(partial->refusals.at[0].instead != NULL);
    free(q.ops);
    nlarge++;
  }
  for (uint32_t i = 0; i < c->p.nops; i++) /* and it is a read again */
    CHECK(i != x.since || op_only_reads(&c->p.ops[i]));
  log_explained_free(&x);
}

static void nothing_goes_of_long(const struct checked *c) {
  struct log_budget none = {.steps = 100000000};
  uint32_t last = 0;
  for (uint32_t i = 0; i < c->p.nops; i++)
    if (!op_is_pending(&c->p.ops[i]) &&
        c->p.ops[i].op->ret > c->p.ops[last].op->ret)
      last = i;
  struct explain_job j = {
      .p = &c->p, .budget = &none, .keep = last, .write = LOG_NO_OP};
  j.leave = xcalloc(c->p.nops + 1, 1);
  j.shadow = xcalloc(c->p.nops + 1, 1);
  for (uint32_t i = 0; i < c->p.nops; i++)
    vec_push(&j.core, i);
  CHECK(!explain_drop_beginning(&j));
  CHECK_INT(j.core.len, c->p.nops);
  vec_free(&j.core);
  free(j.leave);
  free(j.shadow);
}

TEST(what_was_before_a_known_state_goes_only_if_the_rest_is_wrong) {
  static const char *const shapes[] = {"counter", "multiset", "set", "queue",
                                       "stack"};
  uint32_t bad = 0, good = 0;
  for (uint32_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    struct error e = {0};
    struct type *type = type_open(shapes[s], DATUM_NONE, &e);
    rng.state = 11 + s;
    for (uint32_t k = 0; k < 60 && test_errors < 4; k++) {
      struct checked c = make_long(type, shapes[s], k % 2);
      c.p.log = &c.log;
      struct log_options o = {.budget.steps = 1000000};
      struct log_answer a = {0};
      unsigned before = test_errors;
      if (c.p.nops == c.log.ops.len)
        check_log(&c.p, &o, &a);
      else
        a.verdict = LOG_UNKNOWN;
      good += a.verdict == LOG_LINEARIZABLE;
      bad += a.verdict == LOG_VIOLATION;
      if (a.verdict == LOG_LINEARIZABLE)
        nothing_goes_of_long(&c);
      else if (a.verdict == LOG_VIOLATION)
        long_is_explained(&c, &a);
      if (test_errors > before)
        show(&c);
      log_answer_free(&a);
      drop(&c);
    }
    type_free(type);
  }
  CHECK(bad > 100);
  CHECK(good > 100);
  CHECK(nsince > 20);
  CHECK(nlarge > 0);
}

/* What returned before `since` is not there. */
static struct checked without_beginning(const struct checked *c,
                                        uint32_t since) {
  struct checked end = {.log.functions = c->log.functions,
                        .log.end = c->log.end};
  end.p = (struct log_problem){.log = &end.log, .type = c->p.type};
  end.p.ops = xcalloc(c->p.nops + 1, sizeof *end.p.ops);
  for (uint32_t i = 0; i < c->p.nops; i++)
    if (c->log.ops.at[i].ret >= since) {
      end.p.ops[end.log.ops.len] = c->p.ops[i];
      vec_push(&end.log.ops, c->log.ops.at[i]);
    }
  end.p.nops = end.log.ops.len;
  for (uint32_t i = 0; i < end.p.nops; i++)
    end.p.ops[i].op = &end.log.ops.at[i];
  return end;
}

/* The end of a register's history that is wrong by itself is wrong behind any
 * beginning, too. */
TEST(an_end_is_wrong_only_if_the_whole_is) {
  uint32_t wrong = 0, right = 0;
  const char *const names[] = {"register", "cas-register"};
  for (uint32_t s = 0; s < 2; s++) {
    struct error e = {0};
    struct type *type = type_open(names[s], DATUM_NONE, &e);
    rng.state = 815 + s;
    for (uint32_t k = 0; k < 20000 && test_errors < 4; k++) {
      struct checked c;
      struct log_answer a = {0};
      if (!make(&c, type, names[s])) {
        drop(&c);
        continue;
      }
      uint32_t since = (uint32_t)rng_below(&rng, c.log.end / 2 + 1);
      struct checked end = without_beginning(&c, since);
      end.p.log = &end.log;
      if (explain_forget_beginning(&end.log, &end.p, since)) {
        check_log_brute(&end.p, &a);
        bool bad = a.verdict == LOG_VIOLATION;
        CHECK(!bad || c.brute.verdict == LOG_VIOLATION);
        wrong += bad;
        right += !bad && c.brute.verdict == LOG_LINEARIZABLE;
        for (uint32_t i = 0; i < end.p.nops; i++)
          CHECK(end.p.ops[i].op == &end.log.ops.at[i] &&
                end.log.ops.at[i].call >= since);
      }
      log_answer_free(&a);
      vec_free(&end.log.ops);
      free(end.p.ops);
      drop(&c);
    }
    type_free(type);
  }
  CHECK(wrong > 1000);
  CHECK(right > 1000);
}

TEST_MAIN
