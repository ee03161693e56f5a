/*
 * Whether an answer is what check.h and prefixes.h say of it: the orders that a
 * search has found are replayed, pair by pair and call by call.
 */
#include "check/invariants.h"

#include "check/choice.h"
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

/* *states becomes those behind the call; false: it has no such alternative. */
static bool follow(const struct history *h, struct spec *s,
                   enum criterion criterion, uint32_t id, bool open,
                   state_list *states) {
  state_list behind = {0};
  states_behind(states, h, s, criterion, id, open, &behind);
  vec_free(states);
  *states = behind;
  return behind.len;
}

static const struct value *result_of(const struct hop *o) {
  return hop_pending(o) ? NULL : &o->result;
}

/* *states becomes those where the pending operations may wait. */
static void keep_waiting(const struct history *h, struct spec *s,
                         state_list *states) {
  for (uint32_t i = s->skips_init ? h->client->ninit : 0; i < h->client->ncalls;
       i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i])) {
      state_list waiting = {0};
      states_waiting(states, h, s, i, &waiting);
      vec_free(states);
      *states = waiting;
    }
}

/* K8: an order in which not all calls are that returned. */
static bool has_looks(const struct history *h, struct spec *s,
                      enum criterion criterion, const struct check *c) {
  uint32_t returned = 0, placed = 0;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    returned += order_has(h, s, i) && !hop_pending(&h->ops[i]);
  for (uint32_t i = 0; i < c->order.len; i++)
    placed += !hop_pending(&h->ops[c->order.at[i]]);
  return criterion == CRITERION_HAPPENS_BEFORE && c->answer == CHECK_YES &&
         placed < returned;
}

static void check_witness(const struct history *h, struct spec *s,
                          const bool *used, state_list *states) {
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    if (order_has(h, s, i) && !hop_pending(&h->ops[i]))
      assert(used[i]); /* K1 */
  if (h->stuck)
    keep_waiting(h, s, states);
  assert(states->len); /* K2 */
}

/* What is said of stuck_at holds in one of the states. */
static void check_refusal(const struct history *h, struct spec *s,
                          enum criterion criterion, const struct check *c,
                          const state_list *states) {
  const struct hop *o = &h->ops[c->stuck_at];
  bool holds = spec_is_relaxed(s, h->client, c->stuck_at);
  for (uint32_t i = 0; i < states->len; i++) {
    state_list one = {0}, behind = {0}, waiting = {0};
    struct expectation e = {0};
    vec_push(&one, states->at[i]);
    expectation_add(&e, h, s, states->at[i], c->stuck_at);
    bool said = e.results.len ? value_equal(e.results.at[0], c->expected) &&
                                    e.results.len == c->also.len + 1
                              : c->waits == e.waits;
    if (hop_pending(o))
      states_waiting(&one, h, s, c->stuck_at, &waiting);
    else
      states_behind(&one, h, s, criterion, c->stuck_at, false, &behind);
    holds |= said && !behind.len && !waiting.len;
    vec_free(&one);
    vec_free(&behind);
    vec_free(&waiting);
    vec_free(&e.results);
  }
  assert(holds && (!hop_pending(o) || h->stuck)); /* K2 */
}

static bool fails(const struct history *h, struct spec *s, uint32_t id,
                  const state_list *states) {
  const struct hop *o = &h->ops[id];
  for (uint32_t i = 0; i < states->len; i++) {
    struct value result;
    uint32_t next, which = 0;
    enum spec_answer a;
    do
      a = spec_choose(s, h->client, states->at[i], id, result_of(o), which++,
                      &result, &next);
    while (a != SPEC_FAULT && a != SPEC_NONE && s->choose);
    if (a == SPEC_FAULT)
      return true;
  }
  return false;
}

void check_check_invariants(const struct history *h, struct spec *s,
                            enum criterion criterion, const struct check *c) {
  bool *used = xcalloc(h->client->ncalls + 1, sizeof *used);
  bool looks = has_looks(h, s, criterion, c);
  state_list states = {0};
  vec_push(&states, s->initial);
  for (uint32_t i = 0; i < c->order.len; i++) {
    uint32_t id = c->order.at[i];
    bool last = c->answer == CHECK_SPEC_FAULT && i + 1 == c->order.len;
    assert(looks || is_next(h, s, criterion, used, id)); /* K1, K8 */
    assert(order_has(h, s, id) || (last && h->stuck));   /* K2, K3 */
    if (last) {
      assert(fails(h, s, id, &states)); /* K3 */
      break;
    }
    bool explained =
        follow(h, s, criterion, id, hop_pending(&h->ops[id]), &states);
    assert(explained);
    used[id] = true;
  }
  if (c->answer == CHECK_YES && !looks)
    check_witness(h, s, used, &states);
  else if (c->answer == CHECK_NO && !s->joins)
    check_refusal(h, s, criterion, c, &states);
  vec_free(&states);
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
  uint32_t ncalls = h->client->ncalls;
  state_list states = {0};
  vec_push(&states, s->initial);
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
    uint32_t id = p->order.at[i];
    bool explained =
        follow(h, s, CRITERION_LINEARIZABLE, id, !returned[id], &states);
    assert(explained); /* P2 */
  }
  vec_free(&states);
  free(place);
  free(returned);
}
