/*
 * The fast checker against the definition, on random small histories of all
 * types: with pending operations, with executions that got stuck, with
 * sequential faults, under both criteria.  Results come from a simulated object
 * and are then spoilt half of the time, so that both answers are frequent;
 * the tests insist on that.
 */
#include "check/invariants.h"
#include "oracle/brute.h"
#include "random_history.h"
#include "test.h"

enum { ROUNDS = 3000 };

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

static bool validate(const struct history *h, struct spec *s,
                     enum criterion criterion, const struct check *k,
                     uint32_t *returned) {
  uint32_t state, next;
  struct value result;
  if (k->answer == CHECK_SPEC_FAULT) {
    struct check but_last = *k;
    but_last.order.len--;
    return replays(h, s, criterion, &but_last, &state, returned) &&
           spec_apply(s, h->client, state, vec_last(&k->order), &result,
                      &next) == SPEC_FAULT;
  }
  if (!replays(h, s, criterion, k, &state, returned))
    return false;
  if (k->answer == CHECK_YES) {
    for (uint32_t i = 0; i < h->client->ncalls && h->stuck; i++)
      if (h->ops[i].call != HISTORY_PENDING &&
          h->ops[i].ret == HISTORY_PENDING &&
          spec_apply(s, h->client, state, i, &result, &next) != SPEC_WAITS)
        return false;
    return *returned == returned_calls(h, s);
  }
  /* NO: what is said about stuck_at is so. */
  const struct hop *o = &h->ops[k->stuck_at];
  enum spec_answer a =
      spec_apply(s, h->client, state, k->stuck_at, &result, &next);
  if (o->ret == HISTORY_PENDING)
    return h->stuck && a != SPEC_WAITS && !k->waits &&
           value_equal(result, k->expected) &&
           *returned == returned_calls(h, s);
  if (k->waits)
    return a == SPEC_WAITS;
  return a == SPEC_RETURNS && value_equal(result, k->expected) &&
         !value_equal(result, o->result);
}

struct counts {
  uint32_t answers[2][4]; /* by criterion and answer */
  uint32_t stuck[2];      /* YES, NO */
  uint32_t pending[2];
  uint32_t shortened; /* NO after more than half was explained */
};

/* Compares both checkers; true when they agree. */
static bool agree(const struct history *h, struct spec *s, struct counts *t) {
  static struct check fast, slow;
  bool ok = true, pending = false;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    pending |= hop_called(&h->ops[i]) && hop_pending(&h->ops[i]);
  for (int criterion = 0; criterion < 2; criterion++) {
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
  for (uint32_t i = 0; i < h->client->ninit; i++)
    if (hop_pending(&h->ops[i]) ||
        spec_apply(s, h->client, state, i, &result, &state) != SPEC_RETURNS)
      return false;
  s->initial = state;
  s->skips_init = true;
  return true;
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
  b.spec.apply = brittle_apply;
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
    for (int k = 0; k < 2; k++) {
      CHECK(t.answers[k][CHECK_YES] > ROUNDS / 10);
      CHECK(t.answers[k][CHECK_NO] > ROUNDS / 20);
    }
    for (int k = 0; k < 8; k++)
      total->answers[k / 4][k % 4] += t.answers[k / 4][k % 4];
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
  for (int k = 0; k < 2; k++) {
    CHECK(t.stuck[k] > 200);
    CHECK(t.pending[k] > 200);
  }
  CHECK(t.shortened > 1000);
  CHECK_INT(t.answers[0][CHECK_SPEC_FAULT], 0);
}

TEST(sequential_faults_are_found_alike) {
  struct counts t = {0};
  each_row(true, &t);
  printf("faults: %u and %u\n", t.answers[0][CHECK_SPEC_FAULT],
         t.answers[1][CHECK_SPEC_FAULT]);
  CHECK(t.answers[0][CHECK_SPEC_FAULT] > 500);
  CHECK(t.answers[1][CHECK_SPEC_FAULT] > 500);
}

TEST_MAIN
