/*
 * Types whose calls take effect together, and orders that may pass elements,
 * against their definitions: classes of calls (oracle/together.c), and queues
 * and stacks kept as plain arrays, searched by brute force.
 */
#include "check/invariants.h"
#include "oracle/brute.h"
#include "oracle/together.h"
#include "random_history.h"
#include "test.h"

#define ONE(id, name, property, orders) +1
enum { ROUNDS = 4000, CRITERIA_COUNT = CRITERIA(ONE), CALLS = 6 };

/* ---- classes ---- */

struct meeting_row {
  struct row row;
  struct together means;
};

static const struct meeting_row meetings[] = {
    {{"exchanger", "exchange = a, empty = 0", {{"a", INT, 1, 0}}},
     {TOGETHER_EXCHANGER, false, 0, false}},
    {{"exchanger", "exchange = a", {{"a", INT, 1, 1}}},
     {TOGETHER_EXCHANGER, true, 0, false}},
    {{"rendezvous",
      "put = a, take = b, empty = 0",
      {{"a", BOOL, 1, 0}, {"b", INT, 0, 0}}},
     {TOGETHER_RENDEZVOUS, false, 0, false}},
    {{"rendezvous", "put = a, take = b", {{"a", BOOL, 1, 1}, {"b", INT, 0, 1}}},
     {TOGETHER_RENDEZVOUS, true, 0, false}},
    {{"barrier", "wait = a, parties = 2, ok = 0", {{"a", INT, 0, 1}}},
     {TOGETHER_BARRIER, true, 2, false}},
    {{"barrier",
      "wait = a, parties = 3, leader = true, ok = false",
      {{"a", BOOL, 0, 1}}},
     {TOGETHER_BARRIER, true, 3, true}},
};

/* What a call may have returned: nothing, or what another one brings. */
static struct value any_result(const struct meeting_row *m,
                               const struct client *c, uint32_t id) {
  const struct suite_op *o = &m->row.ops[c->calls[id].op];
  uint32_t other = (uint32_t)rng_below(&rng, c->ncalls);
  if (m->means.type == TOGETHER_BARRIER)
    return o->type == FL_TYPE_BOOL ? value_bool(chance(33)) : value_int(0);
  if (o->type == FL_TYPE_BOOL)
    return value_bool(chance(80));
  return value_int(chance(m->means.waits ? 5 : 25) || !c->calls[other].nargs
                       ? 0
                       : c->calls[other].args[0]);
}

/* Calls of random lengths, and for some a partner that got the same. */
static void random_meetings(const struct meeting_row *m, struct history *h) {
  const struct client *c = h->client;
  uint32_t now[8] = {0}, final = client_first_final(c), last = 0;
  h->stuck = chance(30);
  for (uint32_t i = 0; i < c->ncalls; i++) {
    uint32_t *at = &now[c->calls[i].thread];
    bool alone = i < c->ninit || i >= final;
    if (i == c->ninit)
      for (int t = 0; t < 8; t++)
        now[t] = now[0];
    if (i >= final && *at <= last)
      *at = last + 1;
    h->ops[i].call = *at += 1 + (uint32_t)rng_below(&rng, 3);
    h->ops[i].ret = *at += alone ? 1 : (uint32_t)rng_below(&rng, 5);
    h->ops[i].result = any_result(m, c, i);
    last = h->ops[i].ret > last ? h->ops[i].ret : last;
  }
  /* The last of a thread may not return; then there are no final calls. */
  for (uint32_t i = c->ninit; i < final && !c->nfinal; i++)
    if ((i + 1 == final || c->calls[i + 1].thread != c->calls[i].thread) &&
        chance(25))
      h->ops[i].ret = HISTORY_PENDING;
  if (m->means.type != TOGETHER_EXCHANGER)
    return;
  for (uint32_t i = c->ninit; i < final; i++) /* both sides of an exchange */
    for (uint32_t j = i + 1; j < final && chance(80); j++)
      if (chance(30)) {
        h->ops[i].result = value_int(c->calls[j].args[0]);
        h->ops[j].result = value_int(c->calls[i].args[0]);
      }
}

TEST(calls_that_meet_are_classes) {
  for (unsigned i = 0; i < LEN(meetings) && test_errors < 5; i++) {
    const struct meeting_row *m = &meetings[i];
    struct suite suite;
    struct error e = {0};
    static struct check fast;
    uint32_t yes[CRITERIA_COUNT] = {0}, no = 0, stuck[2] = {0};
    struct spec *s = row_spec(&m->row, &suite, &e);
    if (!CHECK_STR(e.text, ""))
      continue;
    rng.state = 40 + i;
    for (int round = 0; round < 4 * ROUNDS && test_errors < 5; round++) {
      struct client c;
      struct hop ops[MAX_CALLS];
      struct history h = {.client = &c, .ops = ops};
      do {
        random_client(&c, &m->row, count_ops(&m->row));
        if (c.ncalls > CALLS)
          client_free(&c);
      } while (c.ncalls > CALLS);
      random_meetings(m, &h);
      for (int k = 0; k < CRITERIA_COUNT; k++) {
        enum criterion criterion = (enum criterion)k;
        bool right = check_together(&h, criterion, &m->means);
        check_linearize(&h, s, criterion, 0, &fast);
        check_check_invariants(&h, s, criterion, &fast);
        if (!CHECK_INT(fast.answer, right ? CHECK_YES : CHECK_NO))
          show(&h, &m->row);
        yes[k] += right;
        no += !right;
        stuck[right] += h.stuck && k == 0;
      }
      client_free(&c);
    }
    printf("%s: %u, %u and %u yes, %u no; stuck: %u yes, %u no\n", m->row.type,
           yes[0], yes[1], yes[2], no, stuck[1], stuck[0]);
    CHECK(yes[0] > 200 && no > 1000 && yes[CRITERION_SEQUENTIAL] > yes[0]);
    CHECK(stuck[0] > 100 && (stuck[1] > 20 || !m->means.waits));
    spec_free(s);
  }
}

/* ---- orders that may pass elements ---- */

enum { MOST = MAX_CALLS };

struct plain_state {
  uint32_t n;
  int64_t value[MOST], thread[MOST]; /* from the oldest */
};

/* a adds, b removes or returns -1, c looks. */
struct plain {
  struct spec spec;
  VEC(struct plain_state) states;
  bool stack, per_producer;
  uint32_t k;
};

static uint32_t number_of(struct plain *p, const struct plain_state *now) {
  for (uint32_t i = 0; i < p->states.len; i++)
    if (!memcmp(&p->states.at[i], now, sizeof *now))
      return i;
  vec_push(&p->states, *now);
  return p->states.len - 1;
}

/* May element i come next? */
static bool may_come(const struct plain *p, const struct plain_state *now,
                     uint32_t i) {
  if (!p->per_producer)
    return p->stack ? now->n - 1 - i <= p->k : i <= p->k;
  for (uint32_t j = 0; j < i; j++)
    if (now->thread[j] == now->thread[i])
      return false;
  return true;
}

static enum spec_answer plain_choose(struct spec *s, const struct client *c,
                                     uint32_t state, uint32_t call,
                                     const struct value *wanted, uint32_t which,
                                     struct value *result, uint32_t *next) {
  struct plain *p = (struct plain *)s;
  const struct call *k = &c->calls[call];
  struct plain_state now = p->states.at[state];
  (void)wanted;
  *next = state;
  if (k->op == 0) {
    now.value[now.n] = k->args[0];
    now.thread[now.n++] = k->thread;
    *result = value_void();
    *next = number_of(p, &now);
    return which ? SPEC_NONE : SPEC_RETURNS;
  }
  *result = value_int(-1);
  if (!now.n)
    return which ? SPEC_NONE : SPEC_RETURNS;
  for (uint32_t i = 0; i < now.n; i++) {
    if (!may_come(p, &now, i) || which--)
      continue;
    *result = value_int(now.value[i]);
    now.n--;
    memmove(now.value + i, now.value + i + 1, (now.n - i) * sizeof *now.value);
    memmove(now.thread + i, now.thread + i + 1,
            (now.n - i) * sizeof *now.thread);
    now.value[now.n] = now.thread[now.n] = 0;
    if (k->op == 1)
      *next = number_of(p, &now);
    return SPEC_RETURNS;
  }
  return SPEC_NONE;
}

struct order_row {
  struct row row;
  enum fl_item_kind kind;
  uint32_t k;
};

#define QUEUE_ROW                                                              \
  {                                                                            \
    "queue", "enqueue = a, dequeue = b, front = c, empty = -1", {              \
      {"a", VOID, 1, 0}, {"b", INT, 0, 0}, { "c", INT, 0, 0 }                  \
    }                                                                          \
  }
#define STACK_ROW                                                              \
  {                                                                            \
    "stack", "push = a, pop = b, top = c, empty = -1", {                       \
      {"a", VOID, 1, 0}, {"b", INT, 0, 0}, { "c", INT, 0, 0 }                  \
    }                                                                          \
  }

static const struct order_row orders[] = {
    {QUEUE_ROW, FL_ITEM_OUT_OF_ORDER, 0}, {QUEUE_ROW, FL_ITEM_OUT_OF_ORDER, 1},
    {QUEUE_ROW, FL_ITEM_OUT_OF_ORDER, 2}, {STACK_ROW, FL_ITEM_OUT_OF_ORDER, 1},
    {STACK_ROW, FL_ITEM_OUT_OF_ORDER, 2}, {QUEUE_ROW, FL_ITEM_PER_PRODUCER, 0},
};

static struct spec *spec_with(const struct order_row *o, struct suite *suite,
                              struct error *e) {
  struct spec *s = row_spec(&o->row, suite, e);
  for (uint32_t i = 1; s && i < 3; i++)
    suite->items[i][suite->ops[i].nitems++] =
        (struct fl_item){.kind = o->kind, .lo = o->k};
  if (s)
    spec_take_readings(s, &suite->suite, e);
  return s;
}

TEST(elements_are_passed_as_the_reading_says) {
  for (unsigned i = 0; i < LEN(orders) && test_errors < 5; i++) {
    const struct order_row *o = &orders[i];
    struct suite suite;
    struct error e = {0};
    static struct check fast, slow;
    uint32_t answers[2] = {0}, weaker = 0;
    struct spec *s = spec_with(o, &suite, &e);
    struct suite strict_suite;
    struct spec *strict = row_spec(&o->row, &strict_suite, &e);
    if (!CHECK_STR(e.text, ""))
      continue;
    rng.state = 60 + i;
    for (int round = 0; round < ROUNDS && test_errors < 5; round++) {
      struct plain p = {.spec = {.choose = plain_choose},
                        .stack = !strcmp(o->row.type, "stack"),
                        .per_producer = o->kind == FL_ITEM_PER_PRODUCER,
                        .k = o->k};
      struct client c;
      struct hop ops[MAX_CALLS];
      struct history h = {.ops = ops};
      vec_push(&p.states, (struct plain_state){0});
      random_client(&c, &o->row, 3);
      random_history(&h, s, &c);
      for (uint32_t n = (uint32_t)rng_below(&rng, 3); n; n--)
        spoil(&h);
      for (int k = 0; k < CRITERIA_COUNT; k++) {
        check_linearize(&h, s, (enum criterion)k, 0, &fast);
        check_brute(&h, &p.spec, (enum criterion)k, &slow);
        check_check_invariants(&h, s, (enum criterion)k, &fast);
        if (!CHECK_INT(fast.answer, slow.answer))
          show(&h, &o->row);
        answers[slow.answer != CHECK_YES]++;
      }
      check_linearize(&h, strict, CRITERION_LINEARIZABLE, 0, &slow);
      check_linearize(&h, s, CRITERION_LINEARIZABLE, 0, &fast);
      CHECK(slow.answer == CHECK_NO || fast.answer == CHECK_YES);
      weaker += slow.answer == CHECK_NO && fast.answer == CHECK_YES;
      vec_free(&p.states);
      client_free(&c);
    }
    printf("%s: %u yes, %u no; %u only by the reading\n", o->row.type,
           answers[0], answers[1], weaker);
    CHECK(answers[0] > ROUNDS / 5 && answers[1] > ROUNDS / 10);
    CHECK(weaker > 50 || (o->k == 0 && o->kind == FL_ITEM_OUT_OF_ORDER));
    spec_free(s);
    spec_free(strict);
  }
}

TEST_MAIN
