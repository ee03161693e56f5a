/*
 * Which operations must come before which, by the criterion: the definition,
 * one pair at a time (K1).
 */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include "check/check.h"

/* Whether operation `i` can be in an order at all. */
static inline bool order_has(const struct history *h, const struct spec *s,
                             uint32_t i) {
  return hop_called(&h->ops[i]) && !(s->skips_init && i < h->client->ninit) &&
         !(h->stuck && hop_pending(&h->ops[i])) &&
         !spec_is_relaxed(s, h->client, i);
}

/* Is there a moment without any open call from the return of a to the call of
 * b?  Both are calls of threads. */
static inline bool order_quiet_between(const struct history *h, uint32_t a,
                                       uint32_t b) {
  uint32_t until = h->ops[a].ret, final = client_first_final(h->client);
  for (uint32_t i = h->client->ninit; i < final; i++)
    if (h->ops[i].call <= until && h->ops[i].ret > until) {
      until = h->ops[i].ret; /* it is open then, so the moment is later … */
      i = h->client->ninit - 1; /* … and all are asked again */
    }
  return until < h->ops[b].call;
}

static inline bool order_precedes(const struct history *h,
                                  enum criterion criterion, uint32_t a,
                                  uint32_t b) {
  const struct client *c = h->client;
  uint32_t final = client_first_final(c);
  if (a == b || hop_pending(&h->ops[a]))
    return false;
  if (a < c->ninit || b < c->ninit) /* initial calls: before all, as listed */
    return a < b;
  if (a >= final || b >= final)
    return a < b;
  if (criterion == CRITERION_QUIESCENT)
    return order_quiet_between(h, a, b);
  if (c->calls[a].thread == c->calls[b].thread)
    return a < b;
  return criterion == CRITERION_LINEARIZABLE &&
         history_before(h, a, b);
}

/* Has the call returned what needs no reason, and may it (K6)?  `h` can have
 * its own times or its periods. */
bool order_excuses(const struct history *h, const struct spec *s,
                   enum criterion criterion, uint32_t call);
/* Does the criterion leave its order to some other call open? */
bool order_overlaps(const struct history *h, enum criterion criterion,
                    uint32_t call);

/*
 * Quiescent consistency as real time: in `ops` each call of a thread has the
 * number of its period as its times.  Moments without any open call divide the
 * periods, and a quiet moment lies between two calls if and only if their
 * periods differ.
 *     T1 |-a-|       |-c-|      periods: a 1, b 1, c 2
 *     T2   |--b--|
 */
void order_periods(const struct history *h, struct hop *ops);

/* An order that explains all other calls, with the states on its way. */
struct relaxed_order {
  const struct history *h;
  struct spec *s;
  enum criterion criterion;
  const uint32_t *order, *states; /* n, and one more */
  uint32_t n;
  uint64_t *applied; /* calls of spec_apply are added */
};
struct relaxed_miss {
  uint32_t call;
  struct value expected; /* the nearest result that is allowed … */
  enum bound bound;      /* … and whether it is the smallest or the largest */
};
/* Do all relaxed calls that returned agree with the order (K5)?  *out tells of
 * the first that does not. */
bool order_is_relaxed(const struct relaxed_order *o, struct relaxed_miss *out);

#endif
