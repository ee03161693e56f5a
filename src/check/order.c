/* Which calls overlap, and the periods between quiet moments. */
#include "check/order.h"

#include <stdlib.h>

bool order_overlaps(const struct history *h, enum criterion criterion,
                    uint32_t call) {
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    if (i != call && hop_called(&h->ops[i]) &&
        !order_precedes(h, criterion, i, call) &&
        !order_precedes(h, criterion, call, i))
      return true;
  return false;
}

bool order_excuses(const struct history *h, const struct spec *s,
                   enum criterion criterion, uint32_t call) {
  if (!s->may_fail || hop_pending(&h->ops[call]))
    return false;
  enum spec_excuse e = spec_excuse_of(s, h->client, call, h->ops[call].result);
  return e == EXCUSE_ALWAYS ||
         (e == EXCUSE_OVERLAPPED && order_overlaps(h, criterion, call));
}

struct called {
  uint32_t time, id;
};

static int by_time(const void *x, const void *y) {
  const struct called *a = x, *b = y;
  return a->time < b->time ? -1 : a->time > b->time;
}

void order_periods(const struct history *h, struct hop *ops) {
  const struct client *c = h->client;
  uint32_t n = client_first_final(c) - c->ninit, latest = 0, period = 0;
  struct called *calls = xmalloc((n + 1) * sizeof *calls);
  for (uint32_t i = 0; i < c->ncalls; i++)
    ops[i] = h->ops[i];
  for (uint32_t i = 0; i < n; i++)
    calls[i] = (struct called){h->ops[c->ninit + i].call, c->ninit + i};
  qsort(calls, n, sizeof *calls, by_time);
  for (uint32_t i = 0; i < n; i++) {
    struct hop *o = &ops[calls[i].id];
    uint32_t ret = o->ret;
    if (!hop_called(o))
      continue;
    period += i && o->call > latest;
    latest = ret > latest ? ret : latest;
    o->call = period;
    o->ret = hop_pending(o) ? HISTORY_PENDING : period;
  }
  free(calls);
}
