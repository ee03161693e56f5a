/* Profiles one by one, and their solutions. */
#include "atomicity/profiles.h"

#define NOTHING UINT32_MAX

static const struct chain_bucket *bucket_of(const struct profile *p,
                                      const struct profile_range *r) {
  return &p->c->buckets.at[r->bucket];
}
static uint32_t first_event(const struct profile *p,
                            const struct profile_range *r) {
  return range_event(p->c, r, r->from);
}
static uint32_t last_event(const struct profile *p,
                           const struct profile_range *r) {
  return range_event(p->c, r, r->to - 1);
}

/* ---- positions ---- */

/*
 * The first position of a sorted list whose number is at least x.  It is looked
 * for in steps that double, from `near` up or down: most often it is near.
 */
static uint32_t first_from(const uint32_t *at, uint32_t len, uint32_t x,
                           uint32_t near) {
  uint32_t from = 0, to = len, step = 1;
  if (near < to && at[near] < x) {
    for (from = near + 1; from + step < to && at[from + step] < x; step *= 2)
      from += step + 1;
    to = from + step < to ? from + step : to;
  } else if (near < to) {
    for (to = near; to >= step && at[to - step] >= x; step *= 2)
      to -= step;
    from = to >= step ? to - step + 1 : 0;
  }
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (at[mid] >= x)
      to = mid;
    else
      from = mid + 1;
  }
  return from;
}

/* Events of bucket a by position: the index of the chain of b from which on
 * they lead to it; as events, or by transactions. */
static const uint32_t *leads_from(const struct chain_bucket *a,
                                  const struct chain_bucket *b, bool of_event) {
  return (of_event ? a->event : a->txn) + (size_t)b->chain * a->events.len;
}

/* Of b's events, the first one that the event of a leads to. */
static uint32_t first_led(const struct chain_bucket *a, const struct chain_bucket *b,
                          uint32_t position, bool of_event, uint32_t near) {
  uint32_t from = leads_from(a, b, of_event)[position];
  return first_from(b->index, b->events.len, from, near);
}

/* Of a's events, the first one that does not lead to the event of b. */
static uint32_t first_not_leading(const struct chain_bucket *a,
                                  const struct chain_bucket *b, uint32_t position,
                                  bool of_event, uint32_t near) {
  return first_from(leads_from(a, b, of_event), a->events.len,
                    b->index[position] + 1, near);
}

/*
 * Windows, as event_chains_window has them.  The event of a is before that of b
 * by a number less than b's, if these are its own for reads that are not
 * buffered, else its next fence's; behind by b's number being less than its
 * own.
 */
static const uint32_t *until(const struct chain_bucket *k) {
  return k->reads && !k->buffered ? k->events.at : k->fence;
}

/* ---- constraints ---- */

/* Each looks at the first and the last events: mostly they are as they should.
 * False: nothing is left. */
static bool at_least(struct profile_range *r, uint32_t from, bool *changed) {
  r->from = from;
  *changed = true;
  return r->from < r->to;
}
static bool below(struct profile_range *r, uint32_t to, bool *changed) {
  r->to = to;
  *changed = true;
  return r->from < r->to;
}

static bool lead(struct profile *p, struct profile_range *a,
                 struct profile_range *b, bool *changed) {
  const struct chain_bucket *ka = bucket_of(p, a), *kb = bucket_of(p, b);
  const uint32_t *leads = leads_from(ka, kb, false);
  if (leads[a->from] > kb->index[b->from] &&
      !at_least(b, first_led(ka, kb, a->from, false, b->from), changed))
    return false;
  return leads[a->to - 1] <= kb->index[b->to - 1] ||
         below(a, first_not_leading(ka, kb, b->to - 1, false, a->to - 1),
               changed);
}

static bool no_lead(struct profile *p, struct profile_range *a,
                    struct profile_range *b, bool of_event, bool *changed) {
  const struct chain_bucket *ka = bucket_of(p, a), *kb = bucket_of(p, b);
  const uint32_t *leads = leads_from(ka, kb, of_event);
  if (leads[a->from] <= kb->index[b->from] &&
      !at_least(a, first_not_leading(ka, kb, b->from, of_event, a->from),
                changed))
    return false;
  return leads[a->to - 1] > kb->index[b->to - 1] ||
         below(b, first_led(ka, kb, a->to - 1, of_event, b->to - 1), changed);
}

static bool window(struct profile *p, struct profile_range *b,
                   struct profile_range *a, bool *changed) {
  const struct chain_bucket *ka = bucket_of(p, a), *kb = bucket_of(p, b);
  const uint32_t *ea = ka->events.at, *eb = kb->events.at;
  const uint32_t *ua = until(ka), *ub = until(kb);
  uint32_t na = ka->events.len, nb = kb->events.len;
  /* a is not before the window of b, and not behind it. */
  if (ua[a->from] < eb[b->from] &&
      !at_least(a, first_from(ua, na, eb[b->from], a->from), changed))
    return false;
  if (ub[b->to - 1] < ea[a->to - 1] &&
      !below(a, first_from(ea, na, ub[b->to - 1], a->to - 1), changed))
    return false;
  if (ub[b->from] < ea[a->from] &&
      !at_least(b, first_from(ub, nb, ea[a->from], b->from), changed))
    return false;
  return ua[a->to - 1] >= eb[b->to - 1] ||
         below(b, first_from(eb, nb, ua[a->to - 1], b->to - 1), changed);
}

static bool special(struct profile *p, bool *changed) {
  struct profile_range *a1 = &p->at.at[0];
  if (!p->next_special || p->next_special[a1->from] == a1->from)
    return true;
  return at_least(a1, p->next_special[a1->from], changed);
}

/* Constraints of ai with all b. */
static bool of_a(struct profile *p, uint32_t i, bool *changed) {
  struct profile_range *at = p->at.at;
  for (uint32_t j = 1; j < p->at.len; j += 2) {
    p->steps++;
    if (!(j == i + 1 ? lead(p, &at[i], &at[j], changed)
                     : no_lead(p, &at[i], &at[j], false, changed)))
      return false;
  }
  return true;
}

bool profile_solve(struct profile *p) {
  struct profile_range *at = p->at.at;
  uint32_t n = p->at.len;
  bool changed = true;
  for (uint32_t i = 0; i < n; i++)
    if (at[i].from >= at[i].to)
      return false;
  while (changed) {
    changed = false;
    if (!special(p, &changed) ||
        (n > 1 && !no_lead(p, &at[0], &at[1], true, &changed)))
      return false;
    for (uint32_t i = 0; i < n; i += 2)
      if (!of_a(p, i, &changed))
        return false;
    for (uint32_t j = 1; j + 1 < n; j += 2)
      if (!window(p, &at[j], &at[j + 1], &changed))
        return false;
    if (p->closed && !window(p, &at[n - 1], &at[0], &changed))
      return false;
  }
  return true;
}

bool profile_add(struct profile *p, uint32_t bucket) {
  uint32_t len = p->c->buckets.at[bucket].events.len;
  vec_push(&p->at, ((struct profile_range){bucket, 0, len}));
  return profile_solve(p);
}

bool buckets_meet(const struct chain_bucket *b, const struct chain_bucket *a) {
  return a->thread != b->thread && a->object == b->object &&
         !(a->reads && b->reads);
}

bool profile_close(struct profile *p) {
  if (!buckets_meet(bucket_of(p, &vec_last(&p->at)),
                    bucket_of(p, &p->at.at[0])))
    return false;
  p->closed = true;
  return profile_solve(p);
}

/* ---- the rest ---- */

static const uint32_t *txn_row(const struct chains *c, uint32_t e) {
  return c->txn_row + (size_t)c->e[e].txn * c->nchains;
}

void rest_init(struct rest_search *s, const struct chains *c) {
  *s = (struct rest_search){0};
  s->reached = xcalloc((size_t)c->nchains + 1, sizeof *s->reached);
  s->limit = xcalloc((size_t)c->nchains + 1, sizeof *s->limit);
  s->fresh = xcalloc((size_t)c->nchains + 1, sizeof *s->fresh);
  s->of_chain = xcalloc((size_t)c->nchains + 1, sizeof *s->of_chain);
  s->least = xcalloc((size_t)c->buckets.len + 1, sizeof *s->least);
  for (uint32_t k = 0; k < c->buckets.len; k++)
    vec_push(&s->of_chain[c->buckets.at[k].chain].buckets, k);
}

void rest_free(struct rest_search *s, const struct chains *c) {
  for (uint32_t k = 0; s->of_chain && k < c->nchains; k++)
    vec_free(&s->of_chain[k].buckets);
  free(s->reached);
  free(s->limit);
  free(s->fresh);
  free(s->of_chain);
  free(s->least);
  vec_free(&s->frontier);
}

static void rest_begin(const struct profile *p, struct rest_search *s) {
  const struct chains *c = p->c;
  for (uint32_t k = 0; k < c->nchains; k++)
    s->reached[k] = s->limit[k] = NOTHING;
  for (uint32_t k = 0; k < c->buckets.len; k++)
    s->least[k] = NOTHING;
  for (uint32_t i = 0; i < p->at.len; i += 2) {
    const uint32_t *row = txn_row(c, last_event(p, &p->at.at[i]));
    for (uint32_t k = 0; k < c->nchains; k++)
      s->limit[k] = row[k] < s->limit[k] ? row[k] : s->limit[k];
  }
}

/* From b in the range to the first a of bucket k, and what that leads to. */
static void rest_step(struct profile *p, struct rest_search *s,
                      const struct profile_range *b, uint32_t k) {
  const struct chains *c = p->c;
  const struct chain_bucket *a = &c->buckets.at[k];
  uint32_t from, to, none;
  event_chains_window(c, first_event(p, b), a, &from, &none);
  event_chains_window(c, last_event(p, b), a, &none, &to);
  p->steps++;
  if (from >= to || from >= s->least[k])
    return;
  for (uint32_t j = 1; j < p->at.len && from < to; j += 2) {
    const struct profile_range *r = &p->at.at[j];
    uint32_t f = first_not_leading(a, bucket_of(p, r), r->from, false, from);
    from = f > from ? f : from;
  }
  if (from >= to || from >= s->least[k])
    return;
  s->least[k] = from;
  const uint32_t *row = txn_row(c, a->events.at[from]);
  for (uint32_t i = 0; i < c->nchains; i++)
    if (row[i] < s->limit[i] && row[i] < s->reached[i]) {
      s->reached[i] = row[i];
      s->fresh[i] = true;
    }
}

static bool comes_back(struct profile *p, const struct profile_range *b) {
  const struct profile_range *a1 = &p->at.at[0];
  const struct chain_bucket *k = bucket_of(p, a1);
  uint32_t from, to, none;
  if (!buckets_meet(bucket_of(p, b), k))
    return false;
  event_chains_window(p->c, first_event(p, b), k, &from, &none);
  event_chains_window(p->c, last_event(p, b), k, &none, &to);
  from = from > a1->from ? from : a1->from;
  return from < (to < a1->to ? to : a1->to);
}

/* The new frontier; whether it comes back to a1. */
static bool rest_frontier(struct profile *p, struct rest_search *s) {
  const struct chains *c = p->c;
  vec_clear(&s->frontier);
  for (uint32_t i = 0; i < c->nchains; i++) {
    for (uint32_t k = 0; s->fresh[i] && k < s->of_chain[i].buckets.len; k++) {
      struct profile_range b = {.bucket = s->of_chain[i].buckets.at[k]};
      const struct chain_bucket *bucket = bucket_of(p, &b);
      b.from = bucket_from(c, bucket, s->reached[i]);
      b.to = s->limit[i] == NOTHING ? bucket->events.len
                                    : bucket_from(c, bucket, s->limit[i]);
      if (b.from >= b.to)
        continue;
      if (comes_back(p, &b))
        return true;
      vec_push(&s->frontier, b);
    }
    s->fresh[i] = false;
  }
  return false;
}

uint32_t profile_rest(struct profile *p, struct rest_search *s) {
  const struct chains *c = p->c;
  rest_begin(p, s);
  for (uint32_t i = 0; i < c->nchains; i++)
    s->fresh[i] = false;
  vec_clear(&s->frontier);
  vec_push(&s->frontier, vec_last(&p->at));
  for (uint32_t level = 1; s->frontier.len; level++) {
    for (uint32_t i = 0; i < s->frontier.len; i++) {
      struct profile_range b = s->frontier.at[i];
      const struct chain_bucket *kb = bucket_of(p, &b);
      const struct on_object *on = &c->on[kb->object];
      for (uint32_t k = 0; k < on->buckets.len; k++)
        if (buckets_meet(kb, &c->buckets.at[on->buckets.at[k]]))
          rest_step(p, s, &b, on->buckets.at[k]);
    }
    if (rest_frontier(p, s))
      return level;
  }
  return NOTHING;
}
