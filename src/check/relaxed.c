/*
 * Whether the results of relaxed calls lie between what was and what may have
 * been (K5): goes along an order and adds up what its calls change.
 */
#include "check/order.h"

typedef __int128 number;

static number number_of(struct value v) {
  return v.kind == VALUE_INT ? (number)(int64_t)v.bits : (number)v.bits;
}

/* The nearest value of the kind. */
static struct value value_of(number n, uint64_t kind) {
  if (kind == VALUE_INT)
    return value_int((int64_t)n);
  n = n < 0 ? 0 : n;
  return (struct value){kind, kind == VALUE_BOOL ? n > 0 : (uint64_t)n};
}

/* What the call would return in the state, by the first of its alternatives;
 * `otherwise` where it would not return. */
static number ask(const struct relaxed_order *o, uint32_t state, uint32_t call,
                  number otherwise) {
  struct value now;
  uint32_t next;
  ++*o->applied;
  enum spec_answer a =
      spec_choose(o->s, o->h->client, state, call, NULL, 0, &now, &next);
  return a == SPEC_RETURNS ? number_of(now) : otherwise;
}

static bool agrees(const struct relaxed_order *o, uint32_t call,
                   struct relaxed_miss *out) {
  number now = ask(o, o->states[0], call, 0), least = now, most = now;
  for (uint32_t i = 0; i < o->n; i++) {
    uint32_t id = o->order[i];
    number then = now;
    now = ask(o, o->states[i + 1], call, then);
    number change = now - then;
    if (order_precedes(o->h, o->criterion, call, id))
      continue;
    bool counts = order_precedes(o->h, o->criterion, id, call);
    least += counts || change < 0 ? change : 0;
    most += counts || change > 0 ? change : 0;
  }
  struct value had = o->h->ops[call].result;
  number result = number_of(had);
  *out = (struct relaxed_miss){
      call, value_of(result < least ? least : most, had.kind),
      least == most    ? BOUND_EXACT
      : result < least ? BOUND_LEAST
                       : BOUND_MOST};
  return least <= result && result <= most;
}

bool order_is_relaxed(const struct relaxed_order *o, struct relaxed_miss *out) {
  const struct history *h = o->h;
  for (uint32_t id = o->s->skips_init ? h->client->ninit : 0;
       id < h->client->ncalls; id++)
    if (spec_is_relaxed(o->s, h->client, id) && !hop_pending(&h->ops[id]) &&
        !order_excuses(h, o->s, o->criterion, id) && !agrees(o, id, out))
      return false;
  return true;
}
