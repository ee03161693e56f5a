/*
 * Why a history is not linearizable.  The orders that the specification
 * explains form a tree.  Each call that disagrees with what it expects there is
 * a line of the explanation, and every order that the criterion allows begins
 * with exactly one line.
 *
 * The tree can be large, so it is walked once to count the lines by length
 * (with a bound on the effort), and then once for each length that is shown.
 */
#include "check/check.h"
#include "check/order.h"

#include <string.h>

enum { EFFORT = 1 << 20 }; /* calls of spec_apply; then lines go uncounted */

struct refute {
  const struct history *h;
  struct spec *s;
  enum criterion criterion;
  bool *used;
  uint32_t *order, len;
  uint32_t *lines; /* by length: how many */
  uint32_t show;   /* the length that is shown now; 0: counting */
  uint32_t max;
  uint32_t effort;
  refutation_list *out;
};

static void add_line(struct refute *r, uint32_t id, enum spec_answer a,
                     struct value expected) {
  if (!r->show) {
    r->lines[r->len + 1]++;
    return;
  }
  if (r->len + 1 != r->show || r->out->len >= r->max)
    return;
  struct refutation f = {.waits = a == SPEC_WAITS};
  if (a == SPEC_RETURNS)
    f.expected = expected;
  for (uint32_t i = 0; i < r->len; i++)
    vec_push(&f.order, r->order[i]);
  vec_push(&f.order, id);
  vec_push(r->out, f);
}

static bool allowed(const struct refute *r, uint32_t id) {
  if (r->used[id] || !order_has(r->h, r->s, id))
    return false;
  for (uint32_t i = 0; i < r->h->client->ncalls; i++)
    if (!r->used[i] && order_has(r->h, r->s, i) &&
        order_precedes(r->h, r->criterion, i, id))
      return false;
  return true;
}

/* Everything that returned is placed, yet the order is no witness: a pending
 * operation need not wait (K2). */
static void add_not_waiting(struct refute *r, uint32_t state) {
  const struct history *h = r->h;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    struct value result;
    uint32_t next;
    if (!hop_called(&h->ops[i]) || !hop_pending(&h->ops[i]))
      continue;
    enum spec_answer a = spec_apply(r->s, h->client, state, i, &result, &next);
    r->effort++;
    if (a != SPEC_WAITS) {
      add_line(r, i, a, result);
      return;
    }
  }
}

static void walk(struct refute *r, uint32_t state) {
  bool open = false;
  if (r->show && (r->len >= r->show || r->out->len >= r->max))
    return;
  for (uint32_t id = 0; id < r->h->client->ncalls; id++) {
    struct value result;
    uint32_t next;
    if (!allowed(r, id) || r->effort >= EFFORT)
      continue;
    const struct hop *o = &r->h->ops[id];
    enum spec_answer a =
        spec_apply(r->s, r->h->client, state, id, &result, &next);
    r->effort++;
    open |= !hop_pending(o);
    if (a != SPEC_RETURNS ||
        (!hop_pending(o) && !value_equal(result, o->result))) {
      if (!hop_pending(o))
        add_line(r, id, a, result);
      continue;
    }
    if (hop_pending(o) && next == state)
      continue; /* the same order without it says as much */
    r->used[id] = true;
    r->order[r->len++] = id;
    walk(r, next);
    r->len--;
    r->used[id] = false;
  }
  if (!open && r->h->stuck && r->effort < EFFORT)
    add_not_waiting(r, state);
}

void check_refutations(const struct history *h, struct spec *s,
                       enum criterion criterion, uint32_t max,
                       refutation_list *out, uint32_t *more) {
  uint32_t n = h->client->ncalls;
  struct refute r = {.h = h,
                     .s = s,
                     .criterion = criterion,
                     .used = xcalloc(n + 1, sizeof *r.used),
                     .order = xcalloc(n + 1, sizeof *r.order),
                     .lines = xcalloc(n + 2, sizeof *r.lines),
                     .max = max,
                     .out = out};
  uint32_t all = 0;
  check_free_refutations(out);
  walk(&r, s->initial);
  for (uint32_t length = 1; length <= n + 1; length++)
    all += r.lines[length];
  for (uint32_t length = 1; length <= n + 1 && out->len < max; length++) {
    r.show = length;
    r.effort = 0;
    if (r.lines[length])
      walk(&r, s->initial);
  }
  *more = all > out->len ? all - out->len : 0;
  free(r.used);
  free(r.order);
  free(r.lines);
}

void check_free_refutations(refutation_list *list) {
  for (uint32_t i = 0; i < list->len; i++)
    vec_free(&list->at[i].order);
  vec_free(list);
}
