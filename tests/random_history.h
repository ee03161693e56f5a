/*
 * Random small histories of all types, for comparing checkers: with pending
 * operations and with executions that got stuck.  Results come from a simulated
 * object; spoil() then changes something, so that both answers are frequent.
 */
#ifndef TESTS_RANDOM_HISTORY_H
#define TESTS_RANDOM_HISTORY_H

#include "base/rng.h"
#include "check/check.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

#define LEN(A) (sizeof(A) / sizeof *(A))
#define INT FL_TYPE_INT, 4
#define BOOL FL_TYPE_BOOL, 1
#define VOID FL_TYPE_VOID, 0

enum { MAX_CALLS = 8 };

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

static inline bool chance(unsigned percent) {
  return rng_below(&rng, 100) < percent;
}

static inline struct call random_call(const struct row *row, uint32_t nops,
                                      unsigned values) {
  struct call k = {.op = (uint16_t)rng_below(&rng, nops)};
  k.nargs = (uint8_t)row->ops[k.op].nargs;
  for (unsigned i = 0; i < k.nargs; i++)
    k.args[i] = 1 + (int64_t)rng_below(&rng, values);
  return k;
}

static inline void random_client(struct client *c, const struct row *row,
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

static inline void tick(struct sim *m) { m->now += chance(60); }

static inline void begin_call(struct sim *m, uint32_t id, uint32_t previous) {
  tick(m);
  if (previous != UINT32_MAX && m->h->ops[previous].ret >= m->now)
    m->now = m->h->ops[previous].ret + 1; /* H3 */
  m->h->ops[id].call = m->now;
}

/* Any of its alternatives. */
static inline bool take_effect(struct sim *m, uint32_t id) {
  struct value v;
  uint32_t next, n = 0;
  while (spec_choose(m->s, m->h->client, m->state, id, NULL, n, &v, &next) !=
         SPEC_NONE)
    n++;
  if (!n || spec_choose(m->s, m->h->client, m->state, id, NULL,
                        n > 1 ? (uint32_t)rng_below(&rng, n) : 0, &v,
                        &next) != SPEC_RETURNS)
    return false;
  m->h->ops[id].result = v;
  m->state = next;
  return true;
}

static inline void end_call(struct sim *m, uint32_t id) {
  tick(m);
  m->h->ops[id].ret = m->now;
}

/* Calls from `from` to `to` one after the other; false: one of them waits. */
static inline bool run_alone(struct sim *m, uint32_t from, uint32_t to) {
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
static inline bool run_threads(struct sim *m, unsigned early, bool *waits) {
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

static inline void random_history(struct history *h, struct spec *s,
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
static inline void spoil(struct history *h) {
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

/* Is there a moment between the two at which no call is open? */
static inline bool quiet_between(const struct history *h, uint32_t a,
                                 uint32_t b) {
  for (uint32_t now = h->ops[a].ret; now < h->ops[b].call; now++) {
    bool open = false;
    for (uint32_t i = h->client->ninit; i < client_first_final(h->client); i++)
      open |= h->ops[i].call <= now && h->ops[i].ret > now;
    if (!open)
      return true;
  }
  return false;
}

/* The validator's own idea of what must come first. */
static inline bool must_precede(const struct history *h,
                                enum criterion criterion, uint32_t a,
                                uint32_t b) {
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
  if (part[0] != 1)
    return a < b;
  if (criterion == CRITERION_QUIESCENT)
    return quiet_between(h, a, b);
  if (thread[0] == thread[1])
    return a < b;
  return criterion == CRITERION_LINEARIZABLE && h->ops[a].ret < h->ops[b].call;
}

/* The states that an order can have led to. */
struct reached {
  uint32_t n, at[64];
};

static inline void reach(struct reached *r, uint32_t state) {
  for (uint32_t i = 0; i < r->n; i++)
    if (r->at[i] == state)
      return;
  if (r->n < LEN(r->at))
    r->at[r->n++] = state;
}

/* Behind one more call, with this result or with any (NULL). */
static inline void reach_behind(struct reached *r, struct spec *s,
                                const struct client *c, uint32_t id,
                                const struct value *wanted) {
  struct reached before = *r;
  r->n = 0;
  for (uint32_t i = 0; i < before.n; i++)
    for (uint32_t which = 0;; which++) {
      struct value v;
      uint32_t next;
      enum spec_answer a =
          spec_choose(s, c, before.at[i], id, NULL, which, &v, &next);
      if (a == SPEC_NONE)
        break;
      if (a == SPEC_RETURNS && (!wanted || value_equal(v, *wanted)))
        reach(r, next);
    }
}

/* Has the call an alternative with this answer there? */
static inline bool may_answer(struct spec *s, const struct client *c,
                              uint32_t state, uint32_t id,
                              enum spec_answer wanted) {
  for (uint32_t which = 0;; which++) {
    struct value v;
    uint32_t next;
    enum spec_answer a = spec_choose(s, c, state, id, NULL, which, &v, &next);
    if (a == wanted)
      return true;
    if (a == SPEC_NONE)
      return false;
  }
}

/* The results that it may have there: the first one, and how many. */
static inline uint32_t may_return(struct spec *s, const struct client *c,
                                  uint32_t state, uint32_t id,
                                  const struct value *this, bool *has,
                                  struct value *first) {
  struct value seen[16];
  uint32_t n = 0;
  *has = false;
  for (uint32_t which = 0;; which++) {
    struct value v;
    uint32_t next;
    enum spec_answer a = spec_choose(s, c, state, id, NULL, which, &v, &next);
    if (a == SPEC_NONE)
      break;
    if (a != SPEC_RETURNS)
      continue;
    bool known = false;
    for (uint32_t i = 0; i < n; i++)
      known |= value_equal(seen[i], v);
    if (!known && n < LEN(seen))
      seen[n++] = v;
    *has |= value_equal(v, *this);
  }
  *first = n ? seen[0] : value_void();
  return n;
}

/* What is said of a call that cannot be next: is it so in one of the states?
 * Of one that is pending: it need not wait there. */
static inline bool disagrees(const struct history *h, struct spec *s,
                             const struct reached *r, uint32_t id,
                             struct value expected, uint32_t also, bool waits) {
  const struct hop *o = &h->ops[id];
  for (uint32_t i = 0; i < r->n; i++) {
    bool has, may_wait = may_answer(s, h->client, r->at[i], id, SPEC_WAITS);
    struct value first;
    uint32_t n =
        may_return(s, h->client, r->at[i], id, &o->result, &has, &first);
    bool said = value_equal(first, expected) && also + 1 == (n ? n : 1) &&
                waits == (may_wait && !n);
    if (said && (hop_pending(o) ? h->stuck && !may_wait : !has))
      return true;
  }
  return false;
}

/* The validator's own idea of a failure that needs no reason. */
static inline bool needs_no_reason(const struct history *h,
                                   const struct spec *s,
                                   enum criterion criterion, uint32_t id) {
  bool overlapped = false;
  if (h->ops[id].ret == HISTORY_PENDING)
    return false;
  for (uint32_t j = 0; j < h->client->ncalls; j++)
    overlapped |= j != id && h->ops[j].call != HISTORY_PENDING &&
                  !must_precede(h, criterion, j, id) &&
                  !must_precede(h, criterion, id, j);
  enum spec_excuse e = spec_excuse_of(s, h->client, id, h->ops[id].result);
  return e == EXCUSE_ALWAYS || (e == EXCUSE_OVERLAPPED && overlapped);
}

/* Operations that fail without a reason: with 0, and some with 1 always. */
struct unreasoned {
  struct fl_item items[2];
  struct fl_op op;
  const struct fl_op *table[8];
};

static inline void unreasoned_take(struct unreasoned *u, struct spec *s,
                                   const struct row *row, uint32_t nops) {
  bool any = false;
  *u = (struct unreasoned){
      .items = {{.kind = FL_ITEM_MAY_FAIL},
                {.kind = FL_ITEM_MAY_FAIL, .lo = 1, .hi = 1}}};
  for (uint32_t i = 0; i < nops; i++)
    if (row->ops[i].type == FL_TYPE_INT && chance(60)) {
      u->op = (struct fl_op){.type = FL_TYPE_INT,
                             .size = 4,
                             .items = u->items,
                             .nitems = chance(50) ? 2 : 1};
      u->table[i] = &u->op;
      any = true;
    }
  s->may_fail = any ? u->table : NULL;
}

/* Some of the calls fail so. */
static inline void fail_some(struct history *h, const struct spec *s) {
  for (uint32_t i = 0; s->may_fail && i < h->client->ncalls; i++)
    if (s->may_fail[h->client->calls[i].op] && !hop_pending(&h->ops[i]) &&
        chance(40))
      h->ops[i].result = value_int(chance(70) ? 0 : 1);
}

/* Whether `order` is explained, call by call; *r is then where it leads. */
static inline bool replays(const struct history *h, struct spec *s,
                           enum criterion criterion, const struct check *k,
                           struct reached *r, uint32_t *returned) {
  bool used[MAX_CALLS] = {false};
  *r = (struct reached){1, {s->initial}};
  *returned = 0;
  for (uint32_t i = 0; i < k->order.len; i++) {
    uint32_t id = k->order.at[i];
    const struct hop *o = &h->ops[id];
    if (used[id] || o->call == HISTORY_PENDING ||
        (s->skips_init && id < h->client->ninit))
      return false;
    if (h->stuck && o->ret == HISTORY_PENDING)
      return false;
    for (uint32_t j = 0; j < h->client->ncalls; j++)
      if (j != id && !used[j] && !(s->skips_init && j < h->client->ninit) &&
          !spec_is_relaxed(s, h->client, j) &&
          must_precede(h, criterion, j, id))
        return false;
    bool pending = o->ret == HISTORY_PENDING;
    struct reached before = *r;
    reach_behind(r, s, h->client, id, pending ? NULL : &o->result);
    for (uint32_t j = 0; j < before.n; j++)
      if (needs_no_reason(h, s, criterion, id))
        reach(r, before.at[j]);
    if (!r->n)
      return false;
    *returned += !pending;
    used[id] = true;
  }
  return true;
}

static inline uint32_t returned_calls(const struct history *h,
                                      const struct spec *s) {
  uint32_t n = 0;
  for (uint32_t i = s->skips_init ? h->client->ninit : 0; i < h->client->ncalls;
       i++)
    n += h->ops[i].ret != HISTORY_PENDING && !spec_is_relaxed(s, h->client, i);
  return n;
}

static inline void show(const struct history *h, const struct row *row) {
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

static inline uint32_t count_ops(const struct row *row) {
  uint32_t n = 0;
  while (n < LEN(row->ops) && row->ops[n].name)
    n++;
  return n;
}

/* The specification of a row; `suite` must outlive it. */
static inline struct spec *row_spec(const struct row *row, struct suite *suite,
                                    struct error *e) {
  return spec_builtin(
      suite_make(suite, row->type, row->roles, row->ops, count_ops(row), 1, 3),
      e);
}

#endif
