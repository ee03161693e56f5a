/*
 * Whether an answer is what check.h and prefixes.h say of it: the orders that a
 * search has found are replayed, pair by pair and call by call.
 */
#include "check/invariants.h"
#include "check/order.h"

#include <assert.h>
#include <stdlib.h>

/* K1: nothing that is not in the order has to come before call `id`. */
static bool is_next(const struct history *h, const struct spec *s,
                    enum criterion criterion, const bool *used, uint32_t id) {
  if (used[id])
    return false;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    if (!used[i] && order_has(h, s, i) && order_precedes(h, criterion, i, id))
      return false;
  return true;
}

static void check_witness(const struct history *h, struct spec *s,
                          const bool *used, uint32_t state) {
  struct value result;
  uint32_t next;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    if (!order_has(h, s, i)) {
      if (h->stuck && hop_called(&h->ops[i]) && hop_pending(&h->ops[i]))
        assert(spec_apply(s, h->client, state, i, &result, &next) ==
               SPEC_WAITS); /* K2 */
    } else if (!hop_pending(&h->ops[i])) {
      assert(used[i]); /* K1 */
    }
  }
}

static void check_refusal(const struct history *h, struct spec *s,
                          const struct check *c, uint32_t state) {
  struct value result;
  uint32_t next;
  const struct hop *o = &h->ops[c->stuck_at];
  enum spec_answer a =
      spec_apply(s, h->client, state, c->stuck_at, &result, &next);
  if (hop_pending(o))
    assert(h->stuck && a != SPEC_WAITS); /* K2 */
  else
    assert(a == SPEC_WAITS
               ? c->waits
               : a == SPEC_RETURNS && value_equal(result, c->expected) &&
                     !value_equal(result, o->result));
}

void check_check_invariants(const struct history *h, struct spec *s,
                            enum criterion criterion, const struct check *c) {
  bool *used = xcalloc(h->client->ncalls + 1, sizeof *used);
  uint32_t state = s->initial, next;
  struct value result;
  for (uint32_t i = 0; i < c->order.len; i++) {
    uint32_t id = c->order.at[i];
    bool fails = c->answer == CHECK_SPEC_FAULT && i + 1 == c->order.len;
    assert(is_next(h, s, criterion, used, id));         /* K1 */
    assert(order_has(h, s, id) || (fails && h->stuck)); /* K2, K3 */
    enum spec_answer a = spec_apply(s, h->client, state, id, &result, &next);
    assert(a == (fails ? SPEC_FAULT : SPEC_RETURNS)); /* K3 */
    if (fails)
      break;
    assert(hop_pending(&h->ops[id]) || value_equal(result, h->ops[id].result));
    used[id] = true;
    state = next;
  }
  if (c->answer == CHECK_YES)
    check_witness(h, s, used, state);
  else if (c->answer == CHECK_NO)
    check_refusal(h, s, c, state);
  free(used);
}

/* ---- prefixes ---- */

static uint32_t time_of(const struct history *h, struct prefix_event e) {
  return e.returns ? h->ops[e.call].ret : h->ops[e.call].call;
}

/* 0: an initial call, 1: a thread's, 2: a final one. */
static int part_of(const struct client *c, uint32_t call) {
  return call < c->ninit ? 0 : call < client_first_final(c) ? 1 : 2;
}

static bool in_time(const struct history *h, struct prefix_event a,
                    struct prefix_event b) {
  int p = part_of(h->client, a.call), q = part_of(h->client, b.call);
  if (p != q)
    return p < q;
  if (p != 1)
    return a.call < b.call || (a.call == b.call && !a.returns && b.returns);
  uint32_t s = time_of(h, a), t = time_of(h, b);
  return s < t || (s == t && (!a.returns || b.returns));
}

/* P2 of H_p(n). */
static void check_size(const struct prefixes *p, const uint32_t *place,
                       uint32_t n) {
  assert(p->size.at[n] <= p->order.len);
  assert(n == 0 || p->size.at[n - 1] <= p->size.at[n]);
  uint32_t called = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct prefix_event *e = &p->events.at[i];
    bool in = place[e->call] < p->size.at[n];
    assert(in || !e->returns);
    called += in && !e->returns;
  }
  assert(called == p->size.at[n]); /* nothing that was called later */
}

void prefixes_check_invariants(const struct history *h, struct spec *s,
                               const struct prefixes *p) {
  for (uint32_t i = 0; i + 1 < p->events.len; i++)
    assert(in_time(h, p->events.at[i], p->events.at[i + 1])); /* P1 */
  uint32_t ncalls = h->client->ncalls, state = s->initial;
  uint32_t *place = xmalloc((ncalls + 1) * sizeof *place);
  bool *returned = xcalloc(ncalls + 1, sizeof *returned);
  for (uint32_t i = 0; i < ncalls; i++)
    place[i] = UINT32_MAX;
  for (uint32_t i = 0; i < p->order.len; i++)
    place[p->order.at[i]] = i;
  for (uint32_t n = 0; n < p->end && n <= p->events.len; n++)
    check_size(p, place, n);
  for (uint32_t i = 0; i + 1 < p->end; i++)
    returned[p->events.at[i].call] |= p->events.at[i].returns;
  for (uint32_t i = 0; i < p->order.len; i++) {
    struct value result;
    uint32_t id = p->order.at[i], next;
    assert(spec_apply(s, h->client, state, id, &result, &next) ==
           SPEC_RETURNS);                                            /* P2 */
    assert(!returned[id] || value_equal(result, h->ops[id].result)); /* P2 */
    state = next;
  }
  free(place);
  free(returned);
}
