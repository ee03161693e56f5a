/*
 * The standing of a history (check.h): a search along every order of the
 * operations that returned, with any of the open ones between them.  Each
 * configuration is visited once.  As in linearize.c the operations of a thread
 * are ordered, so a number a thread says which of them have taken effect.
 */
#include "check/check.h"

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

/* The next operation of thread t takes effect; false: the specification
 * fails. */
static bool advance(struct standing_search *q, const struct configuration *from,
                    uint32_t t) {
  uint32_t id = q->threads[t].first + from->at[t];
  const struct hop *o = &q->h->ops[id];
  struct configuration k = *from;
  struct value result;
  switch (spec_apply(q->s, q->h->client, from->state, id, &result, &k.state)) {
  case SPEC_FAULT:
    return false;
  case SPEC_WAITS:
    return true;
  case SPEC_RETURNS:
    break;
  }
  if (hop_pending(o))
    add(&k.open, opened(id, result));
  else if (!value_equal(result, o->result))
    return true;
  k.at[t]++;
  if (is_fresh(q, &k))
    vec_push(&q->left, k);
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

/* The initial calls come first, one after the other. */
static enum spec_answer begin(struct standing_search *q,
                              struct configuration *k) {
  const struct client *c = q->h->client;
  *k = (struct configuration){.state = q->s->initial};
  for (uint32_t i = 0; i < c->ninit && !q->s->skips_init; i++) {
    struct value v;
    enum spec_answer a = spec_apply(q->s, c, k->state, i, &v, &k->state);
    if (a != SPEC_RETURNS)
      return a;
    if (!value_equal(v, q->h->ops[i].result))
      return SPEC_WAITS; /* no order explains them */
  }
  return SPEC_RETURNS;
}

static bool search(struct standing_search *q) {
  struct configuration k;
  enum spec_answer a = begin(q, &k);
  if (a == SPEC_FAULT || !find_threads(q))
    return false;
  if (a == SPEC_RETURNS)
    vec_push(&q->left, k);
  while (q->left.len) {
    k = vec_pop(&q->left);
    if (q->met.len > q->most || !follow(q, &k))
      return false;
  }
  return true;
}

bool check_standing(const struct history *h, struct spec *s, uint32_t most,
                    struct hash128 *out) {
  struct standing_search q = {.h = h, .s = s, .most = most};
  spec_make_room(s);
  bool known = s->digest && !h->stuck && search(&q);
  uint64_t what[3] = {q.sum.lo, q.sum.hi, q.count};
  *out = hash128(what, sizeof what, 0);
  vec_free(&q.left);
  map128_free(&q.met);
  return known;
}
