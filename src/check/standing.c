/*
 * The standing of a history (check.h): a search along every order of the
 * operations that returned, with any of the open ones between them.  Each
 * configuration is visited once.  As in linearize.c the operations of a thread
 * are ordered, so a number a thread says which of them have taken effect.
 */
#include "check/choice.h"

#include "base/map128.h"

#include <stddef.h>

struct configuration {
  struct hash128 open; /* sum over the open operations that have taken effect:
                          call and result */
  uint32_t state;
  uint8_t at[CLIENT_MAX_THREADS + 1]; /* by thread: how many of its operations
                                         have taken effect */
};
#define CONFIGURATION_BYTES                                                    \
  (offsetof(struct configuration, at) + CLIENT_MAX_THREADS + 1)

struct thread_ops { /* the operations that were called */
  uint32_t first;
  uint8_t n;
};

struct standing_search {
  const struct history *h;
  struct spec *s;
  struct thread_ops threads[CLIENT_MAX_THREADS + 1]; /* from 1 */
  uint32_t nthreads;
  VEC(struct configuration) left; /* not expanded yet */
  struct map128 met;
  uint32_t most;
  struct hash128 sum;
  uint64_t count;
};

static bool find_threads(struct standing_search *q) {
  const struct client *c = q->h->client;
  q->nthreads = c->nthreads;
  for (uint32_t i = client_first_final(c); i-- > c->ninit;) {
    struct thread_ops *t = &q->threads[c->calls[i].thread];
    if (!hop_called(&q->h->ops[i]))
      continue;
    if (t->n == UINT8_MAX)
      return false;
    t->first = i;
    t->n++;
  }
  return true;
}

/* The operation of thread t that takes effect next; NULL: all have. */
static const struct hop *next_of(const struct standing_search *q,
                                 const struct configuration *k, uint32_t t) {
  if (k->at[t] == q->threads[t].n)
    return NULL;
  return &q->h->ops[q->threads[t].first + k->at[t]];
}

static void add(struct hash128 *sum, struct hash128 one) {
  sum->lo += one.lo;
  sum->hi += one.hi;
}

static struct hash128 opened(uint32_t id, struct value v) {
  uint64_t what[3] = {id, v.kind, v.bits};
  if (v.kind == VALUE_STRING)
    what[2] = value_text_hash(v);
  return hash128(what, sizeof what, 0);
}

static bool is_fresh(struct standing_search *q, const struct configuration *k) {
  bool fresh;
  map128_put(&q->met, hash128(k, CONFIGURATION_BYTES, 0), &fresh);
  return fresh;
}

/* The next operation of thread t takes effect like this. */
static void take(struct standing_search *q, const struct configuration *from,
                 uint32_t t, struct value result, uint32_t next) {
  uint32_t id = q->threads[t].first + from->at[t];
  const struct hop *o = &q->h->ops[id];
  struct configuration k = *from;
  k.state = next;
  if (hop_pending(o))
    add(&k.open, opened(id, result));
  else if (!value_equal(result, o->result))
    return;
  k.at[t]++;
  if (is_fresh(q, &k))
    vec_push(&q->left, k);
}

/* It takes effect in each way that it may; false: the specification fails. */
static bool advance(struct standing_search *q, const struct configuration *from,
                    uint32_t t) {
  uint32_t id = q->threads[t].first + from->at[t], next, which = 0;
  struct value result;
  enum spec_answer a;
  do {
    a = choice(q->h, q->s, CRITERION_LINEARIZABLE, from->state, id, which++,
               &result, &next);
    if (a == SPEC_FAULT)
      return false;
    if (a == SPEC_RETURNS)
      take(q, from, t, result, next);
  } while (choice_is_several(q->s) && a != SPEC_NONE);
  return true;
}

/* Expands one configuration. */
static bool follow(struct standing_search *q, const struct configuration *k) {
  /* The earliest return of an operation that has not taken effect: none that
   * was called later may come before it. */
  uint32_t horizon = HISTORY_PENDING;
  for (uint32_t t = 1; t <= q->nthreads; t++) {
    const struct hop *o = next_of(q, k, t);
    if (o && o->ret < horizon)
      horizon = o->ret;
  }
  if (horizon == HISTORY_PENDING) {
    struct hash128 both[2] = {k->open, q->s->digest(q->s, k->state)};
    add(&q->sum, hash128(both, sizeof both, 0));
    q->count++;
  }
  for (uint32_t t = 1; t <= q->nthreads; t++) {
    const struct hop *o = next_of(q, k, t);
    if (o && o->call <= horizon && !advance(q, k, t))
      return false;
  }
  return true;
}

/* The initial calls come first, one after the other: n of them have led to the
 * state.  False: the specification fails. */
static bool begin(struct standing_search *q, uint32_t state, uint32_t n) {
  if (n == q->h->client->ninit || q->s->skips_init) {
    struct configuration k = {.state = state};
    vec_push(&q->left, k);
    return true;
  }
  uint32_t next, which = 0;
  struct value v;
  enum spec_answer a;
  do {
    a = choice(q->h, q->s, CRITERION_LINEARIZABLE, state, n, which++, &v,
               &next);
    if (a == SPEC_FAULT)
      return false;
    if (a == SPEC_RETURNS && value_equal(v, q->h->ops[n].result) &&
        !begin(q, next, n + 1))
      return false;
  } while (choice_is_several(q->s) && a != SPEC_NONE);
  return true;
}

/* Of the states behind the initial calls one may have been met twice. */
static void drop_repeated(struct standing_search *q) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->left.len; i++) {
    uint32_t k = 0;
    while (k < n && q->left.at[k].state != q->left.at[i].state)
      k++;
    if (k == n)
      q->left.at[n++] = q->left.at[i];
  }
  q->left.len = n;
}

static bool search(struct standing_search *q) {
  if (!begin(q, q->s->initial, 0) || !find_threads(q))
    return false;
  drop_repeated(q);
  struct configuration k;
  while (q->left.len) {
    k = vec_pop(&q->left);
    if (q->met.len > q->most || !follow(q, &k))
      return false;
  }
  return true;
}

/* An open call that may still fail without a reason, if it has been overlapped:
 * later calls need not do so. */
static void add_overlapped(struct standing_search *q) {
  const struct client *c = q->h->client;
  for (uint32_t i = c->ninit; q->s->may_fail && i < client_first_final(c); i++)
    if (q->s->may_fail[c->calls[i].op] && hop_called(&q->h->ops[i]) &&
        hop_pending(&q->h->ops[i]) &&
        order_overlaps(q->h, CRITERION_LINEARIZABLE, i))
      add(&q->sum, hash128(&i, sizeof i, 1));
}

bool check_standing(const struct history *h, struct spec *s, uint32_t most,
                    struct hash128 *out) {
  struct standing_search q = {.h = h, .s = s, .most = most};
  spec_make_room(s);
  bool known = s->digest && !s->guesses && !s->joins && !h->stuck && search(&q);
  add_overlapped(&q);
  uint64_t what[3] = {q.sum.lo, q.sum.hi, q.count};
  *out = hash128(what, sizeof what, 0);
  vec_free(&q.left);
  map128_free(&q.met);
  return known;
}
