/*
 * One search for all prefixes against a check of each of them from scratch, by
 * the definition, on random small histories of all types.
 */
#include "check/invariants.h"
#include "oracle/brute.h"
#include "random_spec.h"
#include "test.h"

enum { ROUNDS = 2000 };

/* H_p(n): what the first n events are. */
static void cut(const struct history *h, const struct prefixes *p, uint32_t n,
                struct history *out) {
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    out->ops[i] = h->ops[i];
    out->ops[i].call = out->ops[i].ret = HISTORY_PENDING;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t id = p->events.at[i].call;
    if (p->events.at[i].returns)
      out->ops[id].ret = h->ops[id].ret;
    else
      out->ops[id].call = h->ops[id].call;
  }
  out->stuck = h->stuck && n == p->events.len;
}

static uint32_t position(const struct prefixes *p, uint32_t id, bool returns) {
  for (uint32_t i = 0; i < p->events.len; i++)
    if (p->events.at[i].call == id && p->events.at[i].returns == returns)
      return i;
  return UINT32_MAX;
}

/* P1 */
static bool events_say_what_times_say(const struct history *h,
                                      const struct prefixes *p) {
  bool ok = true;
  for (uint32_t a = 0; a < h->client->ncalls; a++)
    for (uint32_t b = 0; b < h->client->ncalls; b++) {
      uint32_t ret = position(p, a, true), call = position(p, b, false);
      if (a == b || ret == UINT32_MAX || call == UINT32_MAX)
        continue;
      bool before = ret < call;
      ok &= CHECK_INT(before, must_precede(h, CRITERION_LINEARIZABLE, a, b));
    }
  return ok;
}

static bool is_witness(const struct history *h, struct spec *s,
                       const struct prefixes *p, uint32_t n) {
  struct check k = {.answer = CHECK_YES};
  struct reached to;
  uint32_t returned;
  k.order.at = p->order.at;
  k.order.len = p->size.at[n];
  return replays(h, s, CRITERION_LINEARIZABLE, &k, &to, &returned) &&
         returned == returned_calls(h, s);
}

static bool agree(const struct history *h, struct spec *s, uint32_t *answers) {
  static struct prefixes p;
  static struct check slow;
  struct hop ops[MAX_CALLS];
  struct history part = {.client = h->client, .ops = ops};
  check_prefixes(h, s, 0, &p);
  prefixes_check_invariants(h, s, &p);
  bool ok = events_say_what_times_say(h, &p);
  uint32_t n = 0;
  for (; n <= p.events.len; n++) {
    cut(h, &p, n, &part);
    check_brute(&part, s, CRITERION_LINEARIZABLE, &slow);
    if (slow.answer != CHECK_YES)
      break;
    ok &= CHECK(n < p.end) && CHECK(is_witness(&part, s, &p, n));
  }
  if (n <= p.events.len) {
    answers[slow.answer]++;
    ok &= CHECK_INT(p.answer, slow.answer);
    /* One that fails only by not waiting is explained but for that. */
    ok &= CHECK_INT(p.end, n + (part.stuck && p.end == n + 1));
  } else {
    answers[CHECK_YES]++;
    ok &= CHECK_INT(p.answer, CHECK_YES) && CHECK_INT(p.end, n);
  }
  return ok;
}

static void try_history(struct spec *s, const struct row *row, uint32_t nops,
                        uint32_t *answers) {
  struct client c;
  struct hop ops[MAX_CALLS];
  struct history h = {.ops = ops};
  random_client(&c, row, nops);
  struct unreasoned u;
  s->may_fail = NULL;
  random_history(&h, s, &c);
  for (unsigned i = chance(75) ? 1 + (unsigned)rng_below(&rng, 3) : 0; i; i--)
    spoil(&h);
  if (chance(30)) {
    unreasoned_take(&u, s, row, nops);
    fail_some(&h, s);
  }
  if (!agree(&h, s, answers))
    show(&h, row);
  s->may_fail = NULL;
  client_free(&c);
}

TEST(all_prefixes_are_answered_like_each_by_itself) {
  uint32_t total[4] = {0};
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    uint32_t answers[4] = {0}, nops = count_ops(&rows[i]);
    rng.state = 77 + i;
    struct spec *s = row_spec(&rows[i], &suite, &e);
    if (!CHECK_STR(e.text, ""))
      continue;
    for (int round = 0; round < ROUNDS && test_errors < 5; round++)
      try_history(s, &rows[i], nops, answers);
    CHECK(answers[CHECK_YES] > ROUNDS / 10);
    CHECK(answers[CHECK_NO] > ROUNDS / 20);
    for (int k = 0; k < 4; k++)
      total[k] += answers[k];
    spec_free(s);
  }
  printf("%u yes, %u no\n", total[CHECK_YES], total[CHECK_NO]);
}

TEST(prefixes_with_choices_are_answered_like_each_by_itself) {
  uint32_t answers[4] = {0};
  rng.state = 78;
  for (int round = 0; round < 2 * ROUNDS && test_errors < 5; round++) {
    struct vague v;
    vague_init(&v, 10, 0);
    try_history(&v.spec, &vague_row, VAGUE_OPS, answers);
  }
  CHECK(answers[CHECK_YES] > ROUNDS / 5);
  CHECK(answers[CHECK_NO] > ROUNDS / 5);
}

TEST_MAIN
