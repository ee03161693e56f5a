/*
 * Why a history is not linearizable.  The orders that the specification
 * explains form a tree.  Each call that disagrees with what it expects there is
 * a line of the explanation, and every order that the criterion allows begins
 * with exactly one line.
 *
 * Where the specification leaves a choice, a place of the tree has all states
 * that the order can have led to.
 *
 * The tree can be large, so it is walked once to count the lines by length
 * (with a bound on the effort), and then once for each length that is shown.
 */
#include "check/choice.h"
#include "check/order.h"

#include <string.h>

enum { EFFORT = 1 << 20 }; /* calls of spec_apply; then lines go uncounted */

struct refute {
  const struct history *h;
  struct spec *s;
  enum criterion criterion;
  bool *used;
  uint32_t *order, len;
  uint32_t *states; /* scratch: before each call of the order, and behind it */
  uint64_t applied; /* scratch */
  uint32_t *lines;  /* by length: how many */
  uint32_t show;    /* the length that is shown now; 0: counting */
  uint32_t max;
  uint32_t effort;
  refutation_list *out;
};

/* Counts a line with one call more than the order; is it to be shown? */
static bool is_shown(struct refute *r) {
  if (!r->show)
    r->lines[r->len + 1]++;
  return r->len + 1 == r->show && r->out->len < r->max;
}

static void put_line(struct refute *r, struct refutation *f, uint32_t last) {
  const struct hop *op = &r->h->ops[last];
  f->alone = r->s->may_fail && !hop_pending(op) &&
             spec_excuse_of(r->s, r->h->client, last, op->result);
  f->reading = spec_reading_of(r->s, r->h->client, last, &f->reach);
  for (uint32_t i = 0; i < r->len; i++)
    vec_push(&f->order, r->order[i]);
  vec_push(&f->order, last);
  vec_push(r->out, *f);
}

/* A line that ends with this call. */
static void add_line(struct refute *r, uint32_t id, const state_list *states) {
  if (!is_shown(r))
    return;
  struct refutation f = {0};
  struct expectation e = {0};
  for (uint32_t i = 0; i < states->len; i++)
    expectation_add(&e, r->h, r->s, states->at[i], id);
  expectation_take(&e, &f.expected, &f.waits, &f.also);
  vec_free(&e.results);
  put_line(r, &f, id);
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

/* Everything that returned is placed, yet the order is no witness: in none of
 * the states do all pending operations wait (K2). */
static void add_not_waiting(struct refute *r, const state_list *states) {
  const struct history *h = r->h;
  state_list left = {0}; /* where those before this one wait */
  for (uint32_t i = 0; i < states->len; i++)
    vec_push(&left, states->at[i]);
  for (uint32_t id = 0; id < h->client->ncalls && left.len; id++) {
    if (!hop_called(&h->ops[id]) || !hop_pending(&h->ops[id]))
      continue;
    state_list kept = {0};
    r->effort += states_waiting(&left, h, r->s, id, &kept);
    if (!kept.len)
      add_line(r, id, &left);
    vec_free(&left);
    left = kept;
  }
  vec_free(&left);
}

static bool is_part(const state_list *part, const state_list *of) {
  for (uint32_t i = 0; i < part->len; i++)
    if (!states_have(of, part->at[i]))
      return false;
  return true;
}

static void walk(struct refute *r, const state_list *states);

static void walk_behind(struct refute *r, uint32_t id,
                        const state_list *states) {
  const struct hop *o = &r->h->ops[id];
  bool pending = hop_pending(o);
  state_list next = {0};
  r->effort +=
      states_behind(states, r->h, r->s, r->criterion, id, pending, &next);
  if (!next.len && !pending)
    add_line(r, id, states);
  /* Of a pending one that leads nowhere else, the same order without it says
   * as much. */
  if (next.len && !(pending && is_part(&next, states))) {
    r->used[id] = true;
    r->order[r->len++] = id;
    walk(r, &next);
    r->len--;
    r->used[id] = false;
  }
  vec_free(&next);
}

/* K5: does no way along the order, from place i on, agree with the relaxed
 * calls?  Then *out tells of one of them. */
static bool disagrees(struct refute *r, uint32_t i, struct relaxed_miss *out) {
  struct relaxed_order o = {.h = r->h,
                            .s = r->s,
                            .criterion = r->criterion,
                            .order = r->order,
                            .states = r->states,
                            .n = r->len,
                            .applied = &r->applied};
  if (i == r->len)
    return !order_is_relaxed(&o, out);
  const struct hop *op = &r->h->ops[r->order[i]];
  state_list from = {0}, next = {0};
  vec_push(&from, r->states[i]);
  r->applied += states_behind(&from, r->h, r->s, r->criterion, r->order[i],
                              hop_pending(op), &next);
  bool all = true;
  for (uint32_t k = 0; k < next.len && all; k++) {
    r->states[i + 1] = next.at[k];
    all = disagrees(r, i + 1, out);
  }
  vec_free(&from);
  vec_free(&next);
  return all;
}

/* Everything that returned is placed, and a relaxed call disagrees. */
static void add_relaxed(struct refute *r) {
  struct relaxed_miss miss;
  r->states[0] = r->s->initial;
  r->applied = 0;
  bool bad = disagrees(r, 0, &miss);
  r->effort += (uint32_t)r->applied;
  if (!bad || !is_shown(r))
    return;
  struct refutation f = {.expected = miss.expected, .bound = miss.bound};
  put_line(r, &f, miss.call);
}

static void walk(struct refute *r, const state_list *states) {
  bool open = false;
  if (r->show && (r->len >= r->show || r->out->len >= r->max))
    return;
  for (uint32_t id = 0; id < r->h->client->ncalls; id++) {
    if (!allowed(r, id) || r->effort >= EFFORT)
      continue;
    open |= !hop_pending(&r->h->ops[id]);
    walk_behind(r, id, states);
  }
  if (!open && r->h->stuck && r->effort < EFFORT)
    add_not_waiting(r, states);
  if (!open && r->s->relaxed && r->effort < EFFORT)
    add_relaxed(r);
}

/* Where calls take effect together, the longest order is the explanation. */
static void refute_longest(const struct history *h, struct spec *s,
                           enum criterion criterion, refutation_list *out) {
  struct check c = {0};
  struct refutation f = {0};
  check_linearize(h, s, criterion, EFFORT, &c);
  if (c.answer == CHECK_NO) {
    for (uint32_t i = 0; i < c.order.len; i++)
      vec_push(&f.order, c.order.at[i]);
    vec_push(&f.order, c.stuck_at);
    for (uint32_t i = 0; i < c.also.len; i++)
      vec_push(&f.also, c.also.at[i]);
    f.expected = c.expected;
    f.waits = c.waits;
    f.reading = spec_reading_of(s, h->client, c.stuck_at, &f.reach);
    vec_push(out, f);
  }
  check_free(&c);
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
                     .states = xcalloc(n + 1, sizeof *r.states),
                     .lines = xcalloc(n + 2, sizeof *r.lines),
                     .max = max,
                     .out = out};
  uint32_t all = 0;
  state_list begin = {0};
  if (s->joins) {
    check_free_refutations(out);
    refute_longest(h, s, criterion, out);
    *more = 0;
    goto out;
  }
  vec_push(&begin, s->initial);
  check_free_refutations(out);
  walk(&r, &begin);
  for (uint32_t length = 1; length <= n + 1; length++)
    all += r.lines[length];
  for (uint32_t length = 1; length <= n + 1 && out->len < max; length++) {
    r.show = length;
    r.effort = 0;
    if (r.lines[length])
      walk(&r, &begin);
  }
  *more = all > out->len ? all - out->len : 0;
out:
  vec_free(&begin);
  free(r.used);
  free(r.order);
  free(r.states);
  free(r.lines);
}

static void refutation_free(struct refutation *f) {
  vec_free(&f->order);
  vec_free(&f->also);
}

void check_free_refutations(refutation_list *list) {
  for (uint32_t i = 0; i < list->len; i++)
    refutation_free(&list->at[i]);
  vec_free(list);
}
