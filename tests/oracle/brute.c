/*
 * The definition: all orders, one operation after the other, without a memo and
 * without anything clever.  Slow; the other checkers are compared with it.
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
  int64_t best; /* most returned operations in an order so far, -1 for none */
  VEC(uint32_t) fault;
};

static enum spec_answer apply(struct brute *b, uint32_t state, uint32_t id,
                              struct value *result, uint32_t *next) {
  b->out->applied++;
  enum spec_answer a = spec_apply(b->s, b->h->client, state, id, result, next);
  if (a == SPEC_FAULT && !b->fault.len) {
    for (uint32_t i = 0; i < b->len; i++)
      vec_push(&b->fault, b->order[i]);
    vec_push(&b->fault, id);
  }
  return a;
}

static void keep_order(struct brute *b) {
  vec_clear(&b->out->order);
  for (uint32_t i = 0; i < b->len; i++)
    vec_push(&b->out->order, b->order[i]);
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

/* `id` cannot follow the order for this reason. */
static void note(struct brute *b, uint32_t id, enum spec_answer a,
                 struct value result) {
  int64_t returned = 0;
  for (uint32_t i = 0; i < b->len; i++)
    returned += !hop_pending(&b->h->ops[b->order[i]]);
  if (returned <= b->best)
    return;
  b->best = returned;
  keep_order(b);
  b->out->stuck_at = id;
  b->out->waits = a == SPEC_WAITS;
  b->out->expected = a == SPEC_RETURNS ? result : value_void();
}

static bool pending_wait(struct brute *b, uint32_t state) {
  const struct history *h = b->h;
  struct value result;
  uint32_t next;
  for (uint32_t i = b->s->skips_init ? h->client->ninit : 0;
       i < h->client->ncalls; i++) {
    if (!hop_called(&h->ops[i]) || !hop_pending(&h->ops[i]))
      continue;
    enum spec_answer a = apply(b, state, i, &result, &next);
    if (a != SPEC_WAITS) {
      note(b, i, a, result);
      return false;
    }
  }
  return true;
}

static bool extend(struct brute *b, uint32_t state) {
  if (complete(b) && (!b->h->stuck || pending_wait(b, state))) {
    keep_order(b);
    return true;
  }
  for (uint32_t id = 0; id < b->h->client->ncalls; id++) {
    struct value result;
    uint32_t next;
    if (!allowed(b, id))
      continue;
    const struct hop *o = &b->h->ops[id];
    enum spec_answer a = apply(b, state, id, &result, &next);
    if (a != SPEC_RETURNS ||
        (!hop_pending(o) && !value_equal(result, o->result))) {
      if (!hop_pending(o))
        note(b, id, a, result);
      continue;
    }
    b->used[id] = true;
    b->order[b->len++] = id;
    if (extend(b, next))
      return true;
    b->len--;
    b->used[id] = false;
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
                    .best = -1};
  vec_clear(&out->order);
  out->applied = 0;
  out->stuck_at = 0;
  out->waits = false;
  out->expected = value_void();
  if (extend(&b, s->initial)) {
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
}
