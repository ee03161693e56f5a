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
         !(h->stuck && hop_pending(&h->ops[i]));
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
  if (c->calls[a].thread == c->calls[b].thread)
    return a < b;
  return criterion == CRITERION_LINEARIZABLE &&
         hop_before(&h->ops[a], &h->ops[b]);
}

#endif
