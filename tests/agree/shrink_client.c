/*
 * From failing histories to small clients, with a CHECK that runs every
 * interleaving of a simulated object: a set of which add and remove read all
 * keys in one step and write them all in another.  What leaps must find what
 * the walk finds; what is left must fail, with one call less must not, and is
 * compared with the smallest of all clients made of the same calls.
 */
#include "random_history.h"
#include "shrink/coarse.h"
#include "shrink/reduce.h"
#include "test.h"

enum { ROUNDS = 1500, KEYS = 3, MOST = 12 };
enum op { ADD, REMOVE, CONTAINS };

static const struct row set_row = {
    "set",
    "add = a, remove = b, contains = c",
    {{"a", BOOL, 1, 0}, {"b", BOOL, 1, 0}, {"c", BOOL, 1, 0}}};

/* ---- the object ---- */

struct machine {
  const struct client *client;
  struct spec *spec;
  struct hop ops[MOST];
  uint32_t seen[MOST]; /* what the first step of a call has read */
  uint32_t keys, now;
  uint32_t next[4], end[4]; /* calls of a thread */
  bool half[4];             /* its first step is made */
  struct check check;
  /* A random failing history, of those that were met. */
  struct hop failing[MOST];
  uint32_t failures;
};

static bool finish(struct machine *m, uint32_t id) {
  const struct call *c = &m->client->calls[id];
  uint32_t bit = 1u << c->args[0], seen = m->seen[id];
  if (c->op == ADD)
    m->keys = seen | bit;
  else if (c->op == REMOVE)
    m->keys = seen & ~bit;
  return c->op == ADD ? !(seen & bit) : seen & bit;
}

static void make_serial(struct machine *m, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    m->seen[i] = m->keys;
    m->ops[i].call = m->now++;
    m->ops[i].result = value_bool(finish(m, i));
    m->ops[i].ret = m->now++;
  }
}

static bool judge(struct machine *m) {
  struct history h = {.client = m->client, .ops = m->ops};
  uint32_t keys = m->keys, now = m->now;
  make_serial(m, client_first_final(m->client), m->client->ncalls);
  m->keys = keys;
  m->now = now;
  check_linearize(&h, m->spec, CRITERION_LINEARIZABLE, 0, &m->check);
  if (m->check.answer == CHECK_YES)
    return false;
  if (!rng_below(&rng, ++m->failures))
    memcpy(m->failing, m->ops, sizeof m->ops);
  return true;
}

/* One step of thread t. */
static void step(struct machine *m, uint32_t t) {
  uint32_t id = m->next[t];
  if (!m->half[t]) {
    m->seen[id] = m->keys;
    m->ops[id].call = m->now;
  }
  if (m->half[t] || m->client->calls[id].op == CONTAINS) {
    m->ops[id].result = value_bool(finish(m, id));
    m->ops[id].ret = m->now;
    m->half[t] = false;
    m->next[t]++;
  } else {
    m->half[t] = true;
  }
  m->now++;
}

/* All interleavings from here on; with `all` they go on after a failure. */
static bool explore(struct machine *m, bool all) {
  bool done = true, bad = false;
  for (uint32_t t = 1; t <= m->client->nthreads && (all || !bad); t++) {
    if (m->next[t] == m->end[t])
      continue;
    done = false;
    uint32_t id = m->next[t], keys = m->keys, seen = m->seen[id];
    bool half = m->half[t];
    step(m, t);
    bad |= explore(m, all);
    m->keys = keys;
    m->seen[id] = seen;
    m->half[t] = half;
    m->next[t] = id;
    m->now--;
  }
  return done ? judge(m) : bad;
}

static struct machine *machine; /* CHECK's */

static bool run(const struct client *c, bool all) {
  struct machine *m = machine;
  m->client = c;
  m->keys = 0;
  m->now = 1;
  m->failures = 0;
  memset(m->next, 0, sizeof m->next);
  memset(m->end, 0, sizeof m->end);
  memset(m->half, 0, sizeof m->half);
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    uint32_t t = c->calls[i].thread;
    if (!m->end[t])
      m->next[t] = i;
    m->end[t] = i + 1;
  }
  make_serial(m, 0, c->ninit);
  return explore(m, all);
}

/* ---- CHECK ---- */

static bool candidate_fails(void *ctx, const struct candidate *c) {
  const struct past *p = ctx;
  bool ok = CHECK_INT(c->from.len, c->client.ncalls);
  for (uint32_t i = 0; i < c->from.len && ok; i++) {
    const struct call *from = &p->history->client->calls[c->from.at[i]];
    ok = CHECK_INT(c->client.calls[i].op, from->op) &&
         CHECK_INT(c->client.calls[i].args[0], from->args[0]);
  }
  client_check_invariants(&c->client);
  return run(&c->client, false);
}

static enum reduce_answer reduce_check(void *ctx, const struct client *c) {
  (void)ctx;
  client_check_invariants(c);
  return run(c, false) ? REDUCE_FAILS : REDUCE_CORRECT;
}

static uint32_t domain(void *ctx, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data) {
  static const int64_t all[] = {0, 1, 2};
  (void)ctx, (void)op, (void)arg;
  *values = all;
  *data = false;
  return LEN(all);
}

/* ---- the smallest of all ---- */

static bool part_fails(const struct client *c, uint32_t mask) {
  struct client part = {0};
  uint32_t last = 0;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    if (!(mask >> i & 1))
      continue;
    if (i < c->ninit)
      client_add_init(&part, c->calls[i]);
    else if (i >= client_first_final(c))
      client_add_final(&part, c->calls[i]);
    else
      client_add(&part, part.nthreads + (c->calls[i].thread != last),
                 c->calls[i]);
    last = c->calls[i].thread;
  }
  bool bad = part.nthreads && run(&part, false);
  client_free(&part);
  return bad;
}

static uint32_t smallest(const struct client *c) {
  uint32_t best = c->ncalls;
  for (uint32_t mask = 1; mask < 1u << c->ncalls; mask++)
    if ((uint32_t)__builtin_popcount(mask) < best && part_fails(c, mask))
      best = (uint32_t)__builtin_popcount(mask);
  return best;
}

static bool is_1_minimal(const struct client *c) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    if (part_fails(c, ((1u << c->ncalls) - 1) & ~(1u << i)))
      return false;
  return true;
}

static uint32_t concurrent(const struct client *c) {
  return client_first_final(c) - c->ninit;
}

/* ---- */

static struct call any_call(void) {
  struct call k = {.op = (uint16_t)rng_below(&rng, 3), .nargs = 1};
  k.args[0] = (int64_t)rng_below(&rng, KEYS);
  return k;
}

static void any_client(struct client *c) {
  *c = (struct client){0};
  for (uint32_t n = (uint32_t)rng_below(&rng, 3); n; n--)
    client_add_init(c, any_call());
  for (uint32_t t = 1; t <= 2; t++)
    for (uint32_t n = 1 + (uint32_t)rng_below(&rng, 3); n; n--)
      client_add(c, t, any_call());
  for (uint32_t n = (uint32_t)rng_below(&rng, 3); n; n--)
    client_add_final(c, any_call());
}

struct totals {
  uint32_t failing, found_h, as_small, type2, fewer_checks;
};

static void localize(struct past *p, enum coarse_version v, bool linear,
                     struct coarse *out) {
  *out = (struct coarse){.past = p,
                         .version = v,
                         .fails = candidate_fails,
                         .ctx = p,
                         .max_rest = 4,
                         .linear = linear};
  coarse_localize(out);
}

static void shrink_one(const struct client *from, struct client *c,
                       struct totals *t) {
  struct reduce r = {.check = reduce_check, .domain = domain};
  reduce_pieces(&r, c);
  reduce_to_few(&r, c);
  reduce_concurrent(&r, c);
  CHECK(reduce_calls(&r, c));
  CHECK(run(c, false));
  CHECK(is_1_minimal(c));
  uint32_t least = smallest(from);
  CHECK(c->ncalls >= least || concurrent(c) < concurrent(from));
  t->as_small += c->ncalls <= least;
  t->type2 += c->nfinal > 0;
  uint32_t ncalls = c->ncalls;
  reduce_values(&r, c);
  CHECK_INT(c->ncalls, ncalls);
  CHECK(run(c, false));
}

static bool in_order(const struct past *p, uint32_t id) {
  for (uint32_t i = 0; i < p->order.len; i++)
    if (p->order.at[i] == id)
      return true;
  return false;
}

static void try_history(const struct client *c, struct spec *s,
                        struct totals *t) {
  struct hop ops[MOST];
  unsigned before = test_errors;
  memcpy(ops, machine->failing, sizeof ops);
  struct history h = {.client = c, .ops = ops};
  struct past p;
  struct coarse leaps, steps, one;
  if (!CHECK(past_find(&p, &h, s, 0, false)))
    return;
  CHECK(p.exact);
  CHECK(in_order(&p, p.failing));
  localize(&p, COARSE_D, false, &leaps);
  localize(&p, COARSE_D, true, &steps);
  localize(&p, COARSE_H, false, &one);
  /* The whole prefix fails, so there is an answer; and the same one. */
  if (CHECK(leaps.found.client.ncalls) && CHECK(steps.found.client.ncalls))
    CHECK(client_equal(&leaps.found.client, &steps.found.client));
  t->fewer_checks += leaps.checks < steps.checks;
  if (one.found.client.ncalls) {
    uint32_t alone = 0;
    const struct client *f = &one.found.client;
    for (uint32_t i = f->ninit; i < client_first_final(f); i++)
      alone += f->calls[i].thread == 1;
    CHECK(alone == 1 || concurrent(f) - alone == 1);
    CHECK(run(f, false));
    t->found_h++;
  }
  CHECK(run(&leaps.found.client, false));
  shrink_one(c, &leaps.found.client, t);
  candidate_free(&leaps.found);
  candidate_free(&steps.found);
  candidate_free(&one.found);
  past_free(&p);
  if (test_errors > before)
    show(&h, &set_row);
}

TEST(long_histories_become_small_clients) {
  struct totals t = {0};
  struct suite suite;
  struct error e = {0};
  struct spec *s = row_spec(&set_row, &suite, &e);
  struct machine m = {.spec = s};
  machine = &m;
  rng.state = 5;
  for (int round = 0; round < ROUNDS && test_errors < 5; round++) {
    struct client c;
    any_client(&c);
    if (run(&c, true)) {
      t.failing++;
      try_history(&c, s, &t);
    }
    client_free(&c);
  }
  printf("%u clients fail; H finds %u; %u become as small as can be; %u need "
         "final calls; leaps save checks in %u\n",
         t.failing, t.found_h, t.as_small, t.type2, t.fewer_checks);
  CHECK(t.failing > 300);
  CHECK(t.found_h > t.failing / 2);
  CHECK(t.as_small > t.failing * 8 / 10);
  CHECK(t.type2 > 50);
  spec_free(s);
  check_free(&m.check);
}

TEST_MAIN
