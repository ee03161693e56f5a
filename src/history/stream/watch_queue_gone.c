/*
 * Which removed values are remembered.
 *
 * Only the latest call and last of a cone are asked for, and those without one
 * value (Q2).  A cone grows in rounds: each round adds all values that must be
 * ahead of the cone so far.  The values that have the latest call or last of a
 * round are kept if they are later than the cone's, so that without the other
 * values the rounds are the same.  Of the whole cone, the two values with the
 * latest last are kept.
 *
 *   removed: 1 (call 1, last 5), 2 (call 3, last 9), 3 (call 2, last 7)
 *   a cone of all three: 2 has both maxima, 3 is second in last; 1 is forgotten
 *
 * These cones can be asked for, alone or together, now or with values that are
 * still to come:
 * - for each open removal or look, and for the next call: the cone of the
 *   removed values that were at the front before its call (Q2, Q3);
 * - the cone of each value inside that was looked at (Q2, Q3).  So these values
 *   need not be followed in the other cones.
 * When another value is returned for the first time, all removed values belong
 * to each cone that it enters, since they were at the front before.
 *
 * A removed value changes only if an open look may return it, and was called
 * later than all that returned it so far: such a value is kept anyway.  Of a
 * value that an open look may return, and that nothing else needs, the name and
 * its times are kept in `over`.
 */
#include "history/stream/watch_queue_int.h"

enum { FEW = 8 };

/* ---- rows ---- */

static uint64_t last_of(const struct queue_watch *q, uint32_t id) {
  return id == WATCH_NONE ? 0 : queue_at(q, id)->latest.call;
}

/* Recomputes the maxima of the rows from the i-th on. */
static void renew_rows(const struct queue_watch *q, queue_rows *rows,
                       uint32_t i) {
  struct queue_row first = {
      .call = WATCH_NONE, .last = WATCH_NONE, .second = WATCH_NONE};
  struct queue_row *before = i ? &rows->at[i - 1] : &first;
  for (; i < rows->len; before = &rows->at[i++]) {
    struct queue_row *r = &rows->at[i];
    const struct queue_value *v = queue_at(q, r->id);
    r->call = before->call;
    if (r->call == WATCH_NONE || v->call > queue_at(q, r->call)->call)
      r->call = r->id;
    r->last = before->last;
    r->second = before->second;
    if (v->latest.call > last_of(q, r->last)) {
      r->second = r->last;
      r->last = r->id;
    } else if (v->latest.call > last_of(q, r->second)) {
      r->second = r->id;
    }
  }
}

static void insert(const struct queue_watch *q, queue_rows *rows, uint32_t id,
                   uint64_t time) {
  vec_push(rows, ((struct queue_row){.time = time, .id = id}));
  uint32_t i = rows->len - 1;
  for (; i && rows->at[i - 1].time > time; i--)
    rows->at[i] = rows->at[i - 1];
  rows->at[i].time = time;
  rows->at[i].id = id;
  renew_rows(q, rows, i);
}

void queue_add_gone(struct queue_watch *q, uint32_t id) {
  insert(q, &q->gone, id, queue_at(q, id)->first.ret);
  insert(q, &q->by_came, id, queue_at(q, id)->came);
}

static void change(const struct queue_watch *q, queue_rows *rows, uint32_t id) {
  uint32_t i = rows->len - 1;
  while (rows->at[i].id != id)
    i--;
  renew_rows(q, rows, i);
}

void queue_change_gone(struct queue_watch *q, uint32_t id) {
  change(q, &q->gone, id);
  change(q, &q->by_came, id);
}

/* ---- cones ---- */

static bool grow(struct queue_cone *c, const struct queue_value *v) {
  bool more = v->call > c->call || v->latest.call > c->last;
  c->call = v->call > c->call ? v->call : c->call;
  c->last = v->latest.call > c->last ? v->latest.call : c->last;
  return more;
}

static void keep(struct queue_watch *q, uint32_t id) {
  if (id != WATCH_NONE)
    queue_at(q, id)->kept = true;
}

/* Adds the maxima of a row to the cone; values that make it grow are kept. */
static bool grow_by_row(struct queue_watch *q, struct queue_cone *c,
                        const struct queue_row *r) {
  bool more = false;
  const uint32_t ids[] = {r->call, r->last};
  for (int i = 0; i < 2; i++)
    if (grow(c, queue_at(q, ids[i]))) {
      keep(q, ids[i]);
      more = true;
    }
  return more;
}

static void keep_two(struct queue_watch *q, const struct queue_row *r) {
  if (!r)
    return;
  keep(q, r->last);
  keep(q, r->second);
}

/* Keeps what the cone of `call` and `last` needs, together with all removed
 * values that were at the front before `before`. */
static void keep_cone(struct queue_watch *q, uint64_t call, uint64_t last,
                      uint64_t before) {
  struct queue_cone c = {.call = call, .last = last};
  const struct queue_row *front = NULL, *came = NULL, *r;
  for (bool more = true; more;) {
    more = false;
    r = rows_before(&q->gone, &c.nfront, before > c.last ? before : c.last);
    if (r)
      more = grow_by_row(q, &c, front = r);
    r = rows_before(&q->by_came, &c.ncame, c.call);
    if (r)
      more |= grow_by_row(q, &c, came = r);
  }
  keep_two(q, front);
  keep_two(q, came);
}

/* ---- which values are kept ---- */

/* Whether an open look may still return the value and so change last(v). */
static bool may_change(const struct queue_watch *q,
                       const struct queue_value *v) {
  for (uint32_t i = q->takers.len; i-- > 0;) {
    const struct queue_taker *x = &q->takers.at[i];
    if (x->call < v->latest.call)
      return false;
    if (x->looks && x->call < v->left)
      return true;
  }
  return false;
}

static void choose(struct queue_watch *q) {
  for (uint32_t i = 0; i < q->gone.len; i++) {
    struct queue_value *v = queue_at(q, q->gone.at[i].id);
    v->kept = may_change(q, v);
  }
  for (uint32_t i = 0; i < q->takers.len; i++)
    keep_cone(q, 0, 0, q->takers.at[i].call);
  keep_cone(q, 0, 0, WATCH_NEVER);
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    keep_cone(q, v->call, v->latest.call, 0);
  }
}

/* Whether a later event may still mention the value. */
static bool is_named(const struct queue_watch *q, const struct queue_value *v) {
  return (v->put == WATCH_NEVER && !v->crashed) || queue_may_be_seen(q, v);
}

static void forget(struct queue_watch *q, uint32_t id) {
  struct queue_value *v = queue_at(q, id);
  queue_keep_cover(q, v);
  v->over = is_named(q, v);
  if (v->over)
    vec_push(&q->over, id);
  else
    queue_drop_value(q, id);
}

static void forget_names(struct queue_watch *q) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->over.len; i++)
    if (is_named(q, queue_at(q, q->over.at[i])))
      q->over.at[n++] = q->over.at[i];
    else
      queue_drop_value(q, q->over.at[i]);
  q->over.len = n;
  q->forget_over_at = 2 * n + FEW;
}

void queue_forget(struct queue_watch *q) {
  const struct watch *w = &q->watch;
  if (w->remembers || (q->gone.len < q->forget_at && !w->hastens))
    return;
  choose(q);
  uint32_t n = 0, m = 0;
  for (uint32_t i = 0; i < q->gone.len; i++)
    if (queue_at(q, q->by_came.at[i].id)->kept)
      q->by_came.at[m++] = q->by_came.at[i];
  for (uint32_t i = 0; i < q->gone.len; i++)
    if (queue_at(q, q->gone.at[i].id)->kept)
      q->gone.at[n++] = q->gone.at[i];
    else
      forget(q, q->gone.at[i].id);
  q->gone.len = q->by_came.len = n;
  renew_rows(q, &q->gone, 0);
  renew_rows(q, &q->by_came, 0);
  q->forget_at = 2 * n + FEW;
  if (q->over.len >= q->forget_over_at || w->hastens)
    forget_names(q);
}
