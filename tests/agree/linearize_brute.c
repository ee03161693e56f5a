/*
 * The fast checker against the definition, on random small histories of all
 * types: with pending operations, with executions that got stuck, with
 * sequential faults, under both criteria.  Results come from a simulated object
 * and are then spoilt half of the time, so that both answers are frequent;
 * the tests insist on that.
 */
#include "base/rng.h"
#include "check/check.h"
#include "suites.h"
#include "test.h"

#include <stdlib.h>

#define LEN(A) (sizeof(A) / sizeof *(A))
#define INT FL_TYPE_INT, 4
#define BOOL FL_TYPE_BOOL, 1
#define VOID FL_TYPE_VOID, 0

enum { MAX_CALLS = 8, ROUNDS = 3000 };

struct row {
  const char *type, *roles;
  struct suite_op ops[7];
};

static const struct row rows[] = {
    {"stack",
     "push = a, pop = b, empty = -1",
     {{"a", VOID, 1, 0}, {"b", INT, 0, 0}}},
    {"stack",
     "push = a, pop = b, size = c, top = d, capacity = 2",
     {{"a", BOOL, 1, 0}, {"b", INT, 0, 1}, {"c", INT, 0, 0}, {"d", INT, 0, 1}}},
    {"queue",
     "enqueue = a, dequeue = b, empty = 0",
     {{"a", VOID, 1, 0}, {"b", FL_TYPE_POINTER, 8, 0, 0}}},
    {"queue",
     "enqueue = a, dequeue = b, front = c, capacity = 2",
     {{"a", VOID, 1, 1}, {"b", INT, 0, 1}, {"c", INT, 0, 1}}},
    {"deque",
     "push_left = a, push_right = b, pop_left = c, pop_right = d, empty = -1",
     {{"a", VOID, 1, 0},
      {"b", VOID, 1, 0},
      {"c", INT, 0, 0},
      {"d", INT, 0, 0}}},
    {"set",
     "add = a, remove = b, contains = c",
     {{"a", BOOL, 1, 0}, {"b", BOOL, 1, 0}, {"c", INT, 1, 0}}},
    {"map",
     "put = a, get = b, remove = c, cas = d, absent = 0",
     {{"a", BOOL, 2, 0},
      {"b", INT, 1, 0},
      {"c", BOOL, 1, 0},
      {"d", BOOL, 3, 0}}},
    {"register", "read = a, write = b", {{"a", INT, 0, 0}, {"b", VOID, 1, 0}}},
    {"register",
     "read = a, write = b, cas = c, exchange = d",
     {{"a", INT, 0, 0},
      {"b", VOID, 1, 0},
      {"c", BOOL, 2, 0},
      {"d", INT, 1, 0}}},
    {"counter",
     "inc = a, dec = b, get = c, fetch_add = d, inc_fetch = e",
     {{"a", VOID, 0, 0},
      {"b", VOID, 0, 0},
      {"c", INT, 0, 0},
      {"d", INT, 1, 0},
      {"e", INT, 0, 0}}},
    {"pqueue",
     "insert = a, remove_min = b, min = c, empty = -1",
     {{"a", VOID, 1, 0}, {"b", INT, 0, 0}, {"c", INT, 0, 0}}},
    {"pqueue",
     "insert = a, remove_min = b, is_empty = c",
     {{"a", VOID, 1, 0}, {"b", INT, 0, 1}, {"c", BOOL, 0, 0}}},
};

static struct rng rng;

static bool chance(unsigned percent) { return rng_below(&rng, 100) < percent; }

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

static struct call random_call(const struct row *row, uint32_t nops,
                               unsigned values) {
  struct call k = {.op = (uint16_t)rng_below(&rng, nops)};
  k.nargs = (uint8_t)row->ops[k.op].nargs;
  for (unsigned i = 0; i < k.nargs; i++)
    k.args[i] = 1 + (int64_t)rng_below(&rng, values);
  return k;
}

static void random_client(struct client *c, const struct row *row,
                          uint32_t nops) {
  uint32_t budget = 2 + (uint32_t)rng_below(&rng, MAX_CALLS - 2);
  uint32_t threads = 1 + (uint32_t)rng_below(&rng, 4);
  unsigned values = 1 + (unsigned)rng_below(&rng, 3);
  *c = (struct client){0};
  for (; budget > 2 && chance(25); budget--)
    client_add_init(c, random_call(row, nops, values));
  uint32_t final = budget > 2 && chance(30);
  budget -= final;
  for (uint32_t t = 1; t <= threads && budget; t++) {
    uint32_t n = t == threads ? budget : (uint32_t)rng_below(&rng, budget) + 1;
    for (budget -= n; n; n--)
      client_add(c, t, random_call(row, nops, values));
  }
  for (; final; final--)
    client_add_final(c, random_call(row, nops, values));
}

/* The simulated object: operations take effect at one point in between. */
struct sim {
  struct history *h;
  struct spec *s;
  uint32_t state, now;
};

static void tick(struct sim *m) { m->now += chance(60); }

static void begin_call(struct sim *m, uint32_t id, uint32_t previous) {
  tick(m);
  if (previous != UINT32_MAX && m->h->ops[previous].ret >= m->now)
    m->now = m->h->ops[previous].ret + 1; /* H3 */
  m->h->ops[id].call = m->now;
}

static bool take_effect(struct sim *m, uint32_t id) {
  uint32_t next;
  if (spec_apply(m->s, m->h->client, m->state, id, &m->h->ops[id].result,
                 &next) != SPEC_RETURNS)
    return false;
  m->state = next;
  return true;
}

static void end_call(struct sim *m, uint32_t id) {
  tick(m);
  m->h->ops[id].ret = m->now;
}

/* Calls from `from` to `to` one after the other; false: one of them waits. */
static bool run_alone(struct sim *m, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    begin_call(m, i, i > from ? i - 1 : UINT32_MAX);
    if (!take_effect(m, i))
      return false;
    end_call(m, i);
  }
  m->now++;
  return true;
}

enum { MAX_THREADS = 5 };

/* Steps threads at random: call, effect, return.  False when it ended before
 * all were done; then *waits tells that nobody could go on. */
static bool run_threads(struct sim *m, unsigned early, bool *waits) {
  const struct client *c = m->h->client;
  uint32_t at[MAX_THREADS + 1] = {0}, end[MAX_THREADS + 1] = {0};
  int phase[MAX_THREADS + 1] = {0};
  for (uint32_t i = client_first_final(c); i-- > c->ninit;) {
    at[c->calls[i].thread] = i;
    if (!end[c->calls[i].thread])
      end[c->calls[i].thread] = i + 1;
  }
  for (uint32_t idle = 0; idle < 200;) {
    uint32_t left = 0, t = 1 + (uint32_t)rng_below(&rng, c->nthreads);
    for (uint32_t u = 1; u <= c->nthreads; u++)
      left += end[u] - at[u];
    if (!left)
      return true;
    if (chance(early))
      return false;
    idle++;
    if (at[t] == end[t])
      continue;
    bool first = at[t] == c->ninit || c->calls[at[t] - 1].thread != t;
    if (phase[t] == 0)
      begin_call(m, at[t], first ? UINT32_MAX : at[t] - 1);
    else if (phase[t] == 1 && !take_effect(m, at[t]))
      continue;
    else if (phase[t] == 2)
      end_call(m, at[t]++);
    phase[t] = (phase[t] + 1) % 3;
    idle = 0;
  }
  return !(*waits = true);
}

static void random_history(struct history *h, struct spec *s,
                           const struct client *c) {
  struct sim m = {h, s, s->initial, 1};
  bool waits = false;
  h->client = c;
  h->stuck = false;
  for (uint32_t i = 0; i < c->ncalls; i++)
    h->ops[i] = (struct hop){HISTORY_PENDING, HISTORY_PENDING, {0, 0}};
  if (!run_alone(&m, 0, c->ninit)) {
    h->stuck = true;
  } else if (!run_threads(&m, chance(30) ? 10 : 0, &waits)) {
    h->stuck = waits;
  } else {
    m.now++;
    h->stuck = !run_alone(&m, client_first_final(c), c->ncalls);
  }
}

/* Something else than what happened: both answers become possible. */
static void spoil(struct history *h) {
  const struct client *c = h->client;
  uint32_t i = (uint32_t)rng_below(&rng, c->ncalls);
  uint32_t j = (uint32_t)rng_below(&rng, c->ncalls);
  struct hop *a = &h->ops[i], *b = &h->ops[j];
  if (hop_pending(a)) {
    if (chance(50))
      h->stuck = !h->stuck && hop_called(a);
    return;
  }
  if (c->calls[i].op == c->calls[j].op && !hop_pending(b) && chance(70)) {
    struct value v = a->result;
    a->result = b->result;
    b->result = v;
  } else if (a->result.kind == VALUE_BOOL) {
    a->result.bits ^= 1;
  } else if (a->result.kind == VALUE_INT) {
    a->result = value_int((int64_t)rng_below(&rng, 4));
  } else if (a->result.kind == VALUE_POINTER) {
    a->result = value_address(rng_below(&rng, 4));
  } else if (a->ret > a->call) { /* less time to be explained in */
    if (chance(50))
      a->ret = a->call + (uint32_t)rng_below(&rng, a->ret - a->call);
    else
      a->call = a->ret - (uint32_t)rng_below(&rng, a->ret - a->call);
  }
}

/* The validator's own idea of what must come first. */
static bool must_precede(const struct history *h, enum criterion criterion,
                         uint32_t a, uint32_t b) {
  const struct client *c = h->client;
  int part[2], thread[2];
  uint32_t id[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    part[i] = id[i] < c->ninit ? 0 : id[i] < c->ncalls - c->nfinal ? 1 : 2;
    thread[i] = c->calls[id[i]].thread;
  }
  if (h->ops[a].ret == HISTORY_PENDING)
    return false;
  if (part[0] != part[1])
    return part[0] < part[1];
  if (thread[0] == thread[1])
    return a < b;
  return criterion == CRITERION_LINEARIZABLE && h->ops[a].ret < h->ops[b].call;
}

/* Whether `order` is explained, call by call; *state is then where it leads. */
static bool replays(const struct history *h, struct spec *s,
                    enum criterion criterion, const struct check *k,
                    uint32_t *state, uint32_t *returned) {
  bool used[MAX_CALLS] = {false};
  *state = s->initial;
  *returned = 0;
  for (uint32_t i = 0; i < k->order.len; i++) {
    uint32_t id = k->order.at[i], next;
    struct value result;
    const struct hop *o = &h->ops[id];
    if (used[id] || o->call == HISTORY_PENDING ||
        (s->skips_init && id < h->client->ninit))
      return false;
    if (h->stuck && o->ret == HISTORY_PENDING)
      return false;
    for (uint32_t j = 0; j < h->client->ncalls; j++)
      if (j != id && !used[j] && !(s->skips_init && j < h->client->ninit) &&
          must_precede(h, criterion, j, id))
        return false;
    if (spec_apply(s, h->client, *state, id, &result, &next) != SPEC_RETURNS)
      return false;
    if (o->ret != HISTORY_PENDING && !value_equal(result, o->result))
      return false;
    *returned += o->ret != HISTORY_PENDING;
    used[id] = true;
    *state = next;
  }
  return true;
}

static uint32_t returned_calls(const struct history *h, const struct spec *s) {
  uint32_t n = 0;
  for (uint32_t i = s->skips_init ? h->client->ninit : 0; i < h->client->ncalls;
       i++)
    n += h->ops[i].ret != HISTORY_PENDING;
  return n;
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

struct tally {
  uint32_t answers[2][4]; /* by criterion and answer */
  uint32_t stuck[2];      /* YES, NO */
  uint32_t pending[2];
  uint32_t shortened; /* NO after more than half was explained */
};

static void show(const struct history *h, const struct row *row) {
  struct buf out = {0};
  static const char *const name[] = {"a", "b", "c", "d", "e"};
  struct op_names names = {name, LEN(name)};
  client_print(h->client, &names, &out);
  fprintf(stderr, "%s (%s)%s: %s\n", row->type, row->roles,
          h->stuck ? " stuck" : "", buf_text(&out));
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    buf_clear(&out);
    value_print(h->ops[i].result, &out);
    fprintf(stderr, "  %u: [%d, %d] %s\n", i, (int)h->ops[i].call,
            (int)h->ops[i].ret, buf_text(&out));
  }
  buf_free(&out);
}

/* Compares both checkers; true when they agree. */
static bool agree(const struct history *h, struct spec *s, struct tally *t) {
  static struct check fast, slow;
  bool ok = true, pending = false;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    pending |= hop_called(&h->ops[i]) && hop_pending(&h->ops[i]);
  for (int criterion = 0; criterion < 2; criterion++) {
    uint32_t n_fast, n_slow;
    check_linearize(h, s, (enum criterion)criterion, 0, &fast);
    check_brute(h, s, (enum criterion)criterion, &slow);
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
                        bool brittle, struct tally *t) {
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

static uint32_t count_ops(const struct row *row) {
  uint32_t n = 0;
  while (n < LEN(row->ops) && row->ops[n].name)
    n++;
  return n;
}

static void each_row(bool brittle, struct tally *total) {
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    struct tally t = {0};
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
  struct tally t = {0};
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
  struct tally t = {0};
  each_row(true, &t);
  printf("faults: %u and %u\n", t.answers[0][CHECK_SPEC_FAULT],
         t.answers[1][CHECK_SPEC_FAULT]);
  CHECK(t.answers[0][CHECK_SPEC_FAULT] > 500);
  CHECK(t.answers[1][CHECK_SPEC_FAULT] > 500);
}

TEST_MAIN
