/*
 * The fast checker against the definition, on random small histories of all
 * types: with pending operations, with executions that got stuck, with
 * sequential faults, with relaxed operations and with those that fail without a
 * reason, under all criteria.  Results come
 * from a simulated object and are then spoilt half of the time, so that both
 * answers are frequent; the tests insist on that.
 */
#include "check/invariants.h"
#include "oracle/brute.h"
#include "random_spec.h"
#include "test.h"

#define ONE(id, name, property, orders) +1
enum { ROUNDS = 3000, CRITERIA_COUNT = CRITERIA(ONE) };

/* A specification that fails in some states, as an object with a bug in its
 * sequential code would. */
struct brittle {
  struct spec spec;
  struct spec *inner;
  uint32_t bad_state, bad_op;
};

static enum spec_answer brittle_apply(struct spec *s, const struct client *c,
                                      uint32_t state, uint32_t call,
                                      struct value *result, uint32_t *next) {
  struct brittle *b = (struct brittle *)s;
  if (state == b->bad_state && c->calls[call].op == b->bad_op)
    return SPEC_FAULT;
  return spec_apply(b->inner, c, state, call, result, next);
}

static bool brittle_only_reads(struct spec *s, const struct client *c,
                               uint32_t call) {
  struct brittle *b = (struct brittle *)s;
  return c->calls[call].op != b->bad_op &&
         b->inner->only_reads(b->inner, c, call);
}

/* In one of the states all pending calls may wait. */
static bool all_wait(const struct history *h, struct spec *s,
                     const struct reached *r) {
  for (uint32_t k = 0; k < r->n; k++) {
    bool wait = true;
    for (uint32_t i = 0; i < h->client->ncalls; i++)
      if (h->ops[i].call != HISTORY_PENDING && hop_pending(&h->ops[i]))
        wait &= may_answer(s, h->client, r->at[k], i, SPEC_WAITS);
    if (wait)
      return true;
  }
  return false;
}

static bool fails(const struct history *h, struct spec *s,
                  const struct reached *r, uint32_t id) {
  for (uint32_t k = 0; k < r->n; k++)
    if (may_answer(s, h->client, r->at[k], id, SPEC_FAULT))
      return true;
  return false;
}

static bool validate(const struct history *h, struct spec *s,
                     enum criterion criterion, const struct check *k,
                     uint32_t *returned) {
  struct reached r;
  *returned = 0;
  if (criterion == CRITERION_HAPPENS_BEFORE && k->answer == CHECK_YES)
    return true; /* not all calls are in the order */
  if (k->answer == CHECK_SPEC_FAULT) {
    struct check but_last = *k;
    but_last.order.len--;
    return replays(h, s, criterion, &but_last, &r, returned) &&
           fails(h, s, &r, vec_last(&k->order));
  }
  if (!replays(h, s, criterion, k, &r, returned))
    return false;
  if (k->answer == CHECK_YES)
    return (!h->stuck || all_wait(h, s, &r)) &&
           *returned == returned_calls(h, s);
  if (spec_is_relaxed(s, h->client, k->stuck_at))
    return *returned == returned_calls(h, s);
  /* NO: what is said about stuck_at is so. */
  return disagrees(h, s, &r, k->stuck_at, k->expected, k->also.len, k->waits) &&
         (!hop_pending(&h->ops[k->stuck_at]) ||
          *returned == returned_calls(h, s));
}

struct counts {
  uint32_t answers[CRITERIA_COUNT][4]; /* by criterion and answer */
  uint32_t weaker;   /* YES only because some operations are relaxed … */
  uint32_t excused;  /* … or may fail without a reason */
  uint32_t stuck[2]; /* YES, NO */
  uint32_t pending[2];
  uint32_t shortened; /* NO after more than half was explained */
};

/* Compares both checkers; true when they agree. */
static bool agree(const struct history *h, struct spec *s, struct counts *t) {
  static struct check fast, slow;
  bool ok = true, pending = false;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    pending |= hop_called(&h->ops[i]) && hop_pending(&h->ops[i]);
  for (int criterion = 0; criterion < CRITERIA_COUNT; criterion++) {
    uint32_t n_fast, n_slow;
    check_linearize(h, s, (enum criterion)criterion, 0, &fast);
    check_brute(h, s, (enum criterion)criterion, &slow);
    check_check_invariants(h, s, (enum criterion)criterion, &fast);
    ok &= CHECK_INT(fast.answer, slow.answer);
    ok &= CHECK(validate(h, s, (enum criterion)criterion, &fast, &n_fast));
    ok &= CHECK(validate(h, s, (enum criterion)criterion, &slow, &n_slow));
    if (slow.answer == CHECK_NO)
      ok &= CHECK_INT(n_fast, n_slow);
    t->answers[criterion][slow.answer]++;
    if (s->relaxed && slow.answer == CHECK_YES) {
      bool *relaxed = s->relaxed;
      s->relaxed = NULL;
      check_linearize(h, s, (enum criterion)criterion, 0, &fast);
      t->weaker += fast.answer == CHECK_NO;
      s->relaxed = relaxed;
    }
    if (s->may_fail && slow.answer == CHECK_YES) {
      const struct fl_op **may_fail = s->may_fail;
      s->may_fail = NULL;
      check_linearize(h, s, (enum criterion)criterion, 0, &fast);
      t->excused += fast.answer == CHECK_NO;
      s->may_fail = may_fail;
    }
    if (slow.answer <= CHECK_NO) {
      t->stuck[slow.answer] += h->stuck && criterion == 0;
      t->pending[slow.answer] += pending && !h->stuck && criterion == 0;
    }
    t->shortened +=
        slow.answer == CHECK_NO && n_slow * 2 > returned_calls(h, s);
  }
  return ok;
}

/* The state behind the initial calls becomes the initial one, as in the
 * specification that is the implementation. */
static bool skip_init(struct spec *s, const struct history *h) {
  uint32_t state = s->initial;
  struct value result;
  if (s->choose)
    return false;
  for (uint32_t i = 0; i < h->client->ninit; i++)
    if (hop_pending(&h->ops[i]) ||
        spec_apply(s, h->client, state, i, &result, &state) != SPEC_RETURNS)
      return false;
  s->initial = state;
  s->skips_init = true;
  return true;
}

/* Does the operation only return a number, without waiting? */
static bool reads(const struct row *row, uint32_t op) {
  static const char *const roles[] = {"size",     "get",      "min",
                                      "contains", "is_empty", "read"};
  bool found = false;
  for (unsigned i = 0; i < LEN(roles); i++) {
    char role[32];
    snprintf(role, sizeof role, "%s = %s", roles[i], row->ops[op].name);
    const char *at = strstr(row->roles, role);
    found |= at && (at == row->roles || at[-1] == ' ');
  }
  return found && (row->ops[op].type == FL_TYPE_INT ||
                   row->ops[op].type == FL_TYPE_BOOL);
}

static void approximate(struct value *v) {
  if (v->kind == VALUE_INT && chance(40))
    v->bits += chance(50) ? 1 : UINT64_MAX;
  else if (v->kind == VALUE_BOOL)
    v->bits ^= chance(40);
}

static void try_history(struct spec *s, const struct row *row, uint32_t nops,
                        bool brittle, struct counts *t) {
  struct client c;
  struct hop ops[MAX_CALLS];
  struct history h = {.ops = ops};
  struct spec kept = *s;
  random_client(&c, row, nops);
  random_history(&h, s, &c);
  history_check_invariants(&h);
  for (unsigned i = chance(75) ? 1 + (unsigned)rng_below(&rng, 3) : 0; i; i--)
    spoil(&h);
  if (chance(30))
    skip_init(s, &h);
  struct brittle b = {.spec = *s,
                      .inner = s,
                      .bad_state = (uint32_t)rng_below(&rng, 6),
                      .bad_op = (uint32_t)rng_below(&rng, nops)};
  bool relaxed[LEN(row->ops)] = {false};
  for (uint32_t i = 0, some = chance(30); i < nops && some; i++)
    relaxed[i] = chance(70) && reads(row, i) && !(brittle && i == b.bad_op);
  if (memchr(relaxed, true, sizeof relaxed)) {
    s->relaxed = b.spec.relaxed = relaxed;
    for (uint32_t i = 0; i < c.ncalls; i++)
      if (spec_is_relaxed(s, &c, i))
        approximate(&ops[i].result);
  }
  struct unreasoned u;
  if (chance(30)) {
    unreasoned_take(&u, s, row, nops);
    b.spec.may_fail = s->may_fail;
    fail_some(&h, s);
  }
  b.spec.apply = brittle_apply;
  b.spec.digest = NULL;
  b.spec.only_reads = brittle_only_reads;
  if (!agree(&h, brittle ? &b.spec : s, t))
    show(&h, row);
  *s = kept;
  client_free(&c);
}

static void each_row(bool brittle, struct counts *total) {
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    struct counts t = {0};
    uint32_t nops = count_ops(&rows[i]);
    rng.state = 1000 + i;
    struct spec *s =
        spec_builtin(suite_make(&suite, rows[i].type, rows[i].roles,
                                rows[i].ops, nops, 1, 3),
                     &e);
    if (!CHECK_STR(e.text, ""))
      continue;
    for (int round = 0; round < ROUNDS && test_errors < 5; round++)
      try_history(s, &rows[i], nops, brittle, &t);
    /* Worth nothing unless both answers occur, with each type. */
    for (int k = 0; k < CRITERIA_COUNT; k++) {
      CHECK(t.answers[k][CHECK_YES] > ROUNDS / 10);
      CHECK(t.answers[k][CHECK_NO] > ROUNDS / 20);
    }
    for (int k = 0; k < 4 * CRITERIA_COUNT; k++)
      total->answers[k / 4][k % 4] += t.answers[k / 4][k % 4];
    total->weaker += t.weaker;
    total->excused += t.excused;
    for (int k = 0; k < 2; k++) {
      total->stuck[k] += t.stuck[k];
      total->pending[k] += t.pending[k];
    }
    total->shortened += t.shortened;
    spec_free(s);
  }
}

TEST(linearize_answers_like_brute) {
  struct counts t = {0};
  each_row(false, &t);
  printf("linearizable: %u yes, %u no; sequential: %u yes, %u no; "
         "stuck: %u yes, %u no; pending: %u yes, %u no\n",
         t.answers[0][0], t.answers[0][1], t.answers[1][0], t.answers[1][1],
         t.stuck[0], t.stuck[1], t.pending[0], t.pending[1]);
  /* The criteria differ, or one of them is not looked at. */
  CHECK(t.answers[1][CHECK_YES] > t.answers[0][CHECK_YES] + 100);
  CHECK(t.answers[CRITERION_QUIESCENT][CHECK_YES] >
        t.answers[0][CHECK_YES] + 100);
  CHECK(t.answers[CRITERION_HAPPENS_BEFORE][CHECK_YES] >=
        t.answers[CRITERION_SEQUENTIAL][CHECK_YES]); /* visible_brute.c */
  CHECK(t.weaker > 100);
  CHECK(t.excused > 1000);
  for (int k = 0; k < 2; k++) {
    CHECK(t.stuck[k] > 200);
    CHECK(t.pending[k] > 200);
  }
  CHECK(t.shortened > 1000);
  CHECK_INT(t.answers[0][CHECK_SPEC_FAULT], 0);
}

static void try_vague(struct vague *v, struct counts *t) {
  struct client c;
  struct hop ops[MAX_CALLS];
  struct history h = {.ops = ops};
  random_client(&c, &vague_row, VAGUE_OPS);
  struct unreasoned u;
  v->spec.may_fail = NULL;
  random_history(&h, &v->spec, &c);
  for (unsigned i = (unsigned)rng_below(&rng, 3); i; i--)
    spoil(&h);
  if (chance(40)) {
    unreasoned_take(&u, &v->spec, &vague_row, VAGUE_OPS);
    fail_some(&h, &v->spec);
  }
  if (!agree(&h, &v->spec, t))
    show(&h, &vague_row);
  client_free(&c);
}

TEST(choices_are_searched_alike) {
  for (unsigned faults = 0; faults <= 10; faults += 10) {
    struct counts t = {0};
    rng.state = 500 + faults;
    for (int i = 0; i < 4000 && test_errors < 5; i++) {
      struct vague v;
      vague_init(&v, 10, faults);
      for (int k = 0; k < 3; k++)
        try_vague(&v, &t);
    }
    printf("%u yes, %u no, %u faults; stuck: %u yes, %u no\n", t.answers[0][0],
           t.answers[0][1], t.answers[0][CHECK_SPEC_FAULT], t.stuck[0],
           t.stuck[1]);
    for (int k = 0; k < 2; k++) {
      CHECK(t.answers[k][CHECK_YES] > 1000);
      CHECK(t.answers[k][CHECK_NO] > 1000);
      CHECK(t.stuck[k] > 200);
      CHECK(t.pending[k] > 200);
      CHECK(faults ? t.answers[k][CHECK_SPEC_FAULT] > 500
                   : !t.answers[k][CHECK_SPEC_FAULT]);
    }
  }
}

TEST(sequential_faults_are_found_alike) {
  struct counts t = {0};
  each_row(true, &t);
  printf("faults: %u and %u\n", t.answers[0][CHECK_SPEC_FAULT],
         t.answers[1][CHECK_SPEC_FAULT]);
  CHECK(t.answers[0][CHECK_SPEC_FAULT] > 500);
  for (int k = 1; k < CRITERIA_COUNT; k++)
    CHECK(t.answers[k][CHECK_SPEC_FAULT] > 500);
}

/* The call begins earlier or ends later; false: it cannot (H3). */
static bool lengthen(struct history *h, uint32_t id) {
  const struct client *c = h->client;
  struct hop *o = &h->ops[id];
  uint32_t by = 1 + (uint32_t)rng_below(&rng, 3);
  bool later = chance(50);
  uint32_t other = later ? id + 1 : id - 1;
  if (hop_pending(o) || id < c->ninit || id >= client_first_final(c))
    return false;
  bool own = other >= c->ninit && other < client_first_final(c) &&
             c->calls[other].thread == c->calls[id].thread;
  if (later && own && hop_called(&h->ops[other]) &&
      o->ret + by >= h->ops[other].call)
    return false;
  if (!later && (o->call < by || (own && o->call - by <= h->ops[other].ret)))
    return false;
  o->ret += later ? by : 0;
  o->call -= later ? 0 : by;
  return true;
}

/* What the searches rely on (hunt/checker.h). */
TEST(longer_intervals_allow_more) {
  static struct check before, after;
  uint32_t allowed = 0, more = 0;
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    struct spec *s = row_spec(&rows[i], &suite, &e);
    bool relaxed[LEN(rows[i].ops)] = {false};
    for (uint32_t k = 0; k < count_ops(&rows[i]); k++)
      relaxed[k] = reads(&rows[i], k);
    rng.state = 5000 + i;
    for (int round = 0; s && round < ROUNDS && test_errors < 5; round++) {
      struct client c;
      struct hop ops[MAX_CALLS];
      struct history h = {.ops = ops};
      enum criterion criterion = (enum criterion)(round % CRITERIA_COUNT);
      random_client(&c, &rows[i], count_ops(&rows[i]));
      random_history(&h, s, &c);
      spoil(&h);
      struct unreasoned u;
      s->may_fail = NULL;
      if (chance(30)) {
        unreasoned_take(&u, s, &rows[i], count_ops(&rows[i]));
        fail_some(&h, s);
      }
      s->relaxed = chance(50) ? relaxed : NULL;
      for (uint32_t k = 0; k < c.ncalls && s->relaxed; k++)
        if (relaxed[c.calls[k].op])
          approximate(&ops[k].result);
      check_linearize(&h, s, criterion, 0, &before);
      if (lengthen(&h, (uint32_t)rng_below(&rng, c.ncalls))) {
        check_linearize(&h, s, criterion, 0, &after);
        CHECK(before.answer == CHECK_NO || after.answer == CHECK_YES);
        allowed += before.answer == CHECK_YES;
        more += before.answer == CHECK_NO && after.answer == CHECK_YES;
      }
      client_free(&c);
    }
    s->relaxed = NULL;
    s->may_fail = NULL;
    spec_free(s);
  }
  printf("longer intervals: %u still allowed, %u now\n", allowed, more);
  CHECK(allowed > 1000 && more > 20);
}

TEST_MAIN
