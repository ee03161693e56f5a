/*
 * The definition: all orders, one operation after the other, with all
 * alternatives of each, without a memo and without anything clever.  Slow; the
 * other checkers are compared with it.
 */
#include "oracle/brute.h"

#include "check/order.h"

#include <string.h>

struct brute {
  const struct history *h;
  struct spec *s;
  enum criterion criterion;
  struct check *out;
  bool *used;
  uint32_t *order, len;
  uint32_t *states; /* before each call of the order, and behind it */
  int64_t best; /* most returned operations in an order so far, -1 for none */
  VEC(uint32_t) fault;
};

/* Alternative number `which`, of all that there are: none is asked for by its
 * result. */
static enum spec_answer apply(struct brute *b, uint32_t state, uint32_t id,
                              uint32_t which, struct value *result,
                              uint32_t *next) {
  b->out->applied++;
  enum spec_answer a =
      spec_choose(b->s, b->h->client, state, id, NULL, which, result, next);
  if (a == SPEC_FAULT && !b->fault.len) {
    for (uint32_t i = 0; i < b->len; i++)
      vec_push(&b->fault, b->order[i]);
    vec_push(&b->fault, id);
  }
  return a;
}

/* ---- happens-before (K8) ---- */

static bool is_excused(const struct brute *b, uint32_t id);

/* All that is chosen: which calls are in the order, and of each other call
 * which members of the order it has seen, as a mask of their places. */
struct brute_looks {
  struct brute *b;
  uint32_t calls[32], n; /* those that are not in the order */
  uint64_t seen[32];
};

static bool before(const struct brute *b, uint32_t a, uint32_t c) {
  return order_precedes(b->h, CRITERION_HAPPENS_BEFORE, a, c);
}

static bool same_state(struct spec *s, uint32_t a, uint32_t b) {
  struct hash128 x = s->digest ? s->digest(s, a) : (struct hash128){a, 0};
  struct hash128 y = s->digest ? s->digest(s, b) : (struct hash128){b, 0};
  return x.lo == y.lo && x.hi == y.hi;
}

/* May the call have seen these places of the order?  K8, word for word. */
static bool may_see(const struct brute_looks *l, uint32_t k, uint64_t set) {
  const struct brute *b = l->b;
  uint32_t look = l->calls[k];
  for (uint32_t i = 0; i < b->len; i++) {
    bool has = set >> i & 1;
    if (has ? before(b, look, b->order[i]) : before(b, b->order[i], look))
      return false;
    for (uint32_t j = 0; j < b->len && has; j++)
      if (before(b, b->order[j], b->order[i]) && !(set >> j & 1))
        return false;
    for (uint32_t j = 0; j < i && has; j++)
      if (before(b, look, b->order[j]))
        return false; /* what comes after the look is in front of what it saw */
  }
  for (uint32_t j = 0; j < k; j++)
    if ((before(b, l->calls[j], look) && l->seen[j] & ~set) ||
        (before(b, look, l->calls[j]) && set & ~l->seen[j]))
      return false;
  return true;
}

/* From place i on the members that are in the set, and then the call. */
static bool leads_to(const struct brute_looks *l, uint32_t state, uint32_t i,
                     uint64_t set, uint32_t look) {
  struct brute *b = l->b;
  while (i < b->len && !(set >> i & 1))
    i++;
  uint32_t id = i < b->len ? b->order[i] : look, next;
  if (is_excused(b, id) &&
      (i == b->len || leads_to(l, state, i + 1, set, look)))
    return true;
  for (uint32_t which = 0;; which++) {
    struct value v;
    b->out->applied++;
    enum spec_answer a =
        spec_choose(b->s, b->h->client, state, id, NULL, which, &v, &next);
    if (a == SPEC_NONE)
      return false;
    if (a != SPEC_RETURNS ||
        (!hop_pending(&b->h->ops[id]) && !value_equal(v, b->h->ops[id].result)))
      continue;
    if (i < b->len ? leads_to(l, next, i + 1, set, look)
                   : same_state(b->s, state, next))
      return true;
  }
}

static bool all_see(struct brute_looks *l, uint32_t k) {
  if (k == l->n)
    return true;
  for (uint64_t set = 0; set < UINT64_C(1) << l->b->len; set++) {
    l->seen[k] = set;
    if (may_see(l, k, set) &&
        leads_to(l, l->b->s->initial, 0, set, l->calls[k]) && all_see(l, k + 1))
      return true;
  }
  return false;
}

static void keep_order(struct brute *b) {
  vec_clear(&b->out->order);
  for (uint32_t i = 0; i < b->len; i++)
    vec_push(&b->out->order, b->order[i]);
}

/* What is not in the order, and has returned, are looks. */
static bool looks_agree(struct brute *b) {
  struct brute_looks l = {.b = b};
  for (uint32_t i = 0; i < b->h->client->ncalls; i++)
    if (order_has(b->h, b->s, i) && !hop_pending(&b->h->ops[i]) && !b->used[i])
      l.calls[l.n++] = i;
  return all_see(&l, 0);
}

/* Whether `id` can be next: nothing that must come before it is still out. */
static bool allowed(const struct brute *b, uint32_t id) {
  if (b->used[id] || !order_has(b->h, b->s, id))
    return false;
  for (uint32_t i = 0; i < b->h->client->ncalls; i++)
    if (!b->used[i] && order_has(b->h, b->s, i) &&
        order_precedes(b->h, b->criterion, i, id))
      return false;
  return true;
}

static bool complete(const struct brute *b) {
  for (uint32_t i = 0; i < b->h->client->ncalls; i++)
    if (order_has(b->h, b->s, i) && !hop_pending(&b->h->ops[i]) && !b->used[i])
      return false;
  return true;
}

/* `id` cannot follow the order. */
static void note(struct brute *b, uint32_t state, uint32_t id) {
  int64_t returned = 0;
  for (uint32_t i = 0; i < b->len; i++)
    returned += !hop_pending(&b->h->ops[b->order[i]]);
  if (returned <= b->best)
    return;
  b->best = returned;
  keep_order(b);
  struct check *out = b->out;
  struct value v;
  uint32_t next;
  bool first = true;
  out->stuck_at = id;
  out->waits = false;
  out->expected = value_void();
  vec_clear(&out->also);
  for (uint32_t which = 0;; which++) {
    enum spec_answer a = apply(b, state, id, which, &v, &next);
    if (a == SPEC_NONE)
      break;
    out->waits |= a == SPEC_WAITS;
    if (a != SPEC_RETURNS)
      continue;
    bool known = !first && value_equal(v, out->expected);
    for (uint32_t i = 0; i < out->also.len; i++)
      known |= value_equal(v, out->also.at[i]);
    if (first)
      out->expected = v;
    else if (!known)
      vec_push(&out->also, v);
    first = false;
  }
  out->waits &= first;
}

static bool may_wait(struct brute *b, uint32_t state, uint32_t id) {
  struct value result;
  uint32_t next;
  for (uint32_t which = 0;; which++) {
    enum spec_answer a = apply(b, state, id, which, &result, &next);
    if (a == SPEC_WAITS || a == SPEC_NONE)
      return a == SPEC_WAITS;
  }
}

static bool pending_wait(struct brute *b, uint32_t state) {
  const struct history *h = b->h;
  for (uint32_t i = b->s->skips_init ? h->client->ninit : 0;
       i < h->client->ncalls; i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i]) &&
        !may_wait(b, state, i)) {
      note(b, state, i);
      return false;
    }
  return true;
}

static int64_t ask(struct brute *b, uint32_t state, uint32_t call) {
  struct value v;
  uint32_t next;
  if (spec_choose(b->s, b->h->client, state, call, NULL, 0, &v, &next) !=
      SPEC_RETURNS)
    return 0;
  return (int64_t)v.bits; /* small numbers: of any kind */
}

/* K5: is there a set of the calls in progress that, counted, gives no more than
 * the relaxed call's result, and one that gives no less? */
static bool relaxed_agrees(struct brute *b, uint32_t call) {
  bool least = false, most = false;
  for (uint32_t set = 0; set < 1u << b->len; set++) {
    int64_t sum = ask(b, b->states[0], call);
    bool allowed = true;
    for (uint32_t i = 0; i < b->len; i++) {
      uint32_t id = b->order[i];
      bool counts = set >> i & 1;
      allowed &= counts ? !order_precedes(b->h, b->criterion, call, id)
                        : !order_precedes(b->h, b->criterion, id, call);
      sum += counts
                 ? ask(b, b->states[i + 1], call) - ask(b, b->states[i], call)
                 : 0;
    }
    int64_t had = (int64_t)b->h->ops[call].result.bits;
    least |= allowed && sum <= had;
    most |= allowed && sum >= had;
  }
  return least && most;
}

/* K6: has the call failed without a reason? */
static bool is_excused(const struct brute *b, uint32_t id) {
  const struct history *h = b->h;
  bool overlapped = false;
  if (hop_pending(&h->ops[id]))
    return false;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    overlapped |= i != id && h->ops[i].call != HISTORY_PENDING &&
                  !order_precedes(h, b->criterion, i, id) &&
                  !order_precedes(h, b->criterion, id, i);
  switch (spec_excuse_of(b->s, h->client, id, h->ops[id].result)) {
  case EXCUSE_ALWAYS:
    return true;
  case EXCUSE_OVERLAPPED:
    return overlapped;
  case EXCUSE_NONE:
    break;
  }
  return false;
}

static bool relaxed_agree(struct brute *b) {
  const struct history *h = b->h;
  for (uint32_t id = b->s->skips_init ? h->client->ninit : 0;
       id < h->client->ncalls; id++)
    if (spec_is_relaxed(b->s, h->client, id) && !hop_pending(&h->ops[id]) &&
        !is_excused(b, id) && !relaxed_agrees(b, id)) {
      note(b, b->states[b->len], id);
      return false;
    }
  return true;
}

static bool extend(struct brute *b, uint32_t state);

/* The order goes on with `id`, which leads to the state `next`. */
static bool extend_to(struct brute *b, uint32_t id, uint32_t next) {
  b->used[id] = true;
  b->order[b->len++] = id;
  if (extend(b, next))
    return true;
  b->len--;
  b->used[id] = false;
  return false;
}

/* The order goes on with `id`, in each way that it may take effect. */
static bool extend_with(struct brute *b, uint32_t state, uint32_t id) {
  const struct hop *o = &b->h->ops[id];
  bool explained = is_excused(b, id);
  if (explained && extend_to(b, id, state))
    return true;
  for (uint32_t which = 0;; which++) {
    struct value result;
    uint32_t next;
    enum spec_answer a = apply(b, state, id, which, &result, &next);
    if (a == SPEC_NONE)
      break;
    if (a != SPEC_RETURNS ||
        (!hop_pending(o) && !value_equal(result, o->result)))
      continue;
    explained = true;
    if (extend_to(b, id, next))
      return true;
  }
  if (!explained && !hop_pending(o))
    note(b, state, id);
  return false;
}

static bool extend(struct brute *b, uint32_t state) {
  b->states[b->len] = state;
  if (complete(b) && (!b->h->stuck || pending_wait(b, state)) &&
      relaxed_agree(b)) {
    keep_order(b);
    return true;
  }
  for (uint32_t id = 0; id < b->h->client->ncalls; id++)
    if (allowed(b, id) && extend_with(b, state, id))
      return true;
  return false;
}

/* K8: all orders of any of the calls that change something.  What is behind an
 * order in its thread and not in it is a look. */
static bool extend_changes(struct brute *b, uint32_t state) {
  b->states[b->len] = state;
  int64_t best = b->best;
  b->best = INT64_MAX; /* nothing is noted */
  bool explained = (!b->h->stuck || pending_wait(b, state)) &&
                   relaxed_agree(b) && looks_agree(b);
  b->best = best;
  if (explained) {
    keep_order(b);
    return true;
  }
  for (uint32_t id = 0; id < b->h->client->ncalls; id++) {
    bool next = !b->used[id] && order_has(b->h, b->s, id);
    for (uint32_t i = 0; i < b->len; i++)
      next &= !before(b, id, b->order[i]);
    for (uint32_t which = 0; next; which++) {
      struct value v;
      uint32_t behind;
      b->out->applied++;
      enum spec_answer a =
          spec_choose(b->s, b->h->client, state, id, NULL, which, &v, &behind);
      if (a == SPEC_NONE)
        break;
      if (a != SPEC_RETURNS || same_state(b->s, state, behind) ||
          (!hop_pending(&b->h->ops[id]) &&
           !value_equal(v, b->h->ops[id].result)))
        continue;
      b->used[id] = true;
      b->order[b->len++] = id;
      if (extend_changes(b, behind))
        return true;
      b->len--;
      b->used[id] = false;
    }
  }
  return false;
}

void check_brute(const struct history *h, struct spec *s,
                 enum criterion criterion, struct check *out) {
  uint32_t n = h->client->ncalls;
  struct brute b = {.h = h,
                    .s = s,
                    .criterion = criterion,
                    .out = out,
                    .used = xcalloc(n + 1, sizeof *b.used),
                    .order = xcalloc(n + 1, sizeof *b.order),
                    .states = xcalloc(n + 1, sizeof *b.states),
                    .best = -1};
  vec_clear(&out->order);
  out->applied = 0;
  out->stuck_at = 0;
  out->waits = false;
  out->expected = value_void();
  vec_clear(&out->also);
  bool found = extend(&b, s->initial);
  if (!found && criterion == CRITERION_HAPPENS_BEFORE && !s->joins) {
    struct check kept = *out;
    uint32_t faults = b.fault.len;
    memset(&out->order, 0, sizeof out->order);
    found = extend_changes(&b, s->initial);
    if (found) {
      vec_free(&kept.order);
    } else {
      vec_free(&out->order);
      out->order = kept.order;
    }
    b.fault.len = faults;
  }
  if (found) {
    out->answer = CHECK_YES;
    out->waits = false;
  } else if (b.fault.len) {
    out->answer = CHECK_SPEC_FAULT;
    vec_clear(&out->order);
    for (uint32_t i = 0; i < b.fault.len; i++)
      vec_push(&out->order, b.fault.at[i]);
  } else {
    out->answer = CHECK_NO;
  }
  vec_free(&b.fault);
  free(b.used);
  free(b.order);
  free(b.states);
}
