/*
 * What is remembered of the values that were removed.
 *
 * Of a cone only the latest `call` and `last` are asked for, and with one value
 * left out (Q2).  It is closed in rounds: all that must be ahead of what it had
 * before.  Those that had the latest of a round are kept, if they were later
 * than what it had; so the same rounds are made without the others.  Of the
 * whole cone the two with the latest `last` are kept.
 *
 * These cones can be asked for, alone or together, now or with more in them
 * that is not there yet:
 * - of what was removed and at the front before the call of something that is
 *   open and takes or looks, and before the next one that will be called (Q2,
 *   Q3);
 * - of each value that is inside and was seen (Q2, Q3);
 * - of a value that was not seen yet, which came before its call: the one that
 *   will see it was not called before the first of those that are open, so
 *   what was at the front before that one is in the cone, too.
 * What was removed does not change any more, unless somebody who looks may
 * still have seen it: that is kept anyway.
 */
#include "check/watch_queue_int.h"

#include <string.h>

enum { FEW = 16 };

static void insert(const struct queue_watch *q, queue_ids *ids, uint32_t id,
                   bool by_came) {
  const struct queue_value *v = queue_at(q, id);
  vec_push(ids, id);
  uint32_t i = ids->len - 1;
  for (; i; i--) {
    const struct queue_value *u = queue_at(q, ids->at[i - 1]);
    if (by_came ? u->came < v->came : u->first.ret < v->first.ret)
      break;
    ids->at[i] = ids->at[i - 1];
  }
  ids->at[i] = id;
}

void queue_add_gone(struct queue_watch *q, uint32_t id) {
  insert(q, &q->gone, id, false);
  insert(q, &q->by_came, id, true);
}

/* ---- cones ---- */

struct round {
  uint32_t call, last;    /* who has the latest; or WATCH_NONE */
  uint32_t first, second; /* the two with the latest `last` of all rounds */
};

static uint64_t last_of(const struct queue_watch *q, uint32_t id) {
  return id == WATCH_NONE ? 0 : queue_at(q, id)->latest.call;
}

static void look_at(const struct queue_watch *q, struct round *r, uint32_t id) {
  const struct queue_value *v = queue_at(q, id);
  if (r->call == WATCH_NONE || v->call > queue_at(q, r->call)->call)
    r->call = id;
  if (v->latest.call > last_of(q, r->last))
    r->last = id;
  if (id == r->first || id == r->second)
    return; /* it is in both orders */
  if (v->latest.call > last_of(q, r->first)) {
    r->second = r->first;
    r->first = id;
  } else if (v->latest.call > last_of(q, r->second)) {
    r->second = id;
  }
}

static void look_at_gone(const struct queue_watch *q, struct queue_cone *c,
                         uint64_t before, struct round *r) {
  for (; c->nfront < q->gone.len; c->nfront++) {
    if (queue_at(q, q->gone.at[c->nfront])->first.ret > before)
      break;
    look_at(q, r, q->gone.at[c->nfront]);
  }
  for (; c->ncame < q->gone.len; c->ncame++) {
    if (queue_at(q, q->by_came.at[c->ncame])->came > c->call)
      break;
    look_at(q, r, q->by_came.at[c->ncame]);
  }
}

static bool grow(struct queue_cone *c, const struct queue_value *v) {
  bool more = v->call > c->call || v->latest.call > c->last;
  c->call = v->call > c->call ? v->call : c->call;
  c->last = v->latest.call > c->last ? v->latest.call : c->last;
  return more;
}

/* What is inside and was seen is there anyway. */
static bool grow_by_seen(const struct queue_watch *q, struct queue_cone *c) {
  bool more = false;
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    if (v->first.ret < c->last || v->came < c->call)
      more |= grow(c, v);
  }
  return more;
}

static bool grow_by_gone(struct queue_watch *q, struct queue_cone *c,
                         uint32_t id) {
  bool more = id != WATCH_NONE && grow(c, queue_at(q, id));
  if (more)
    queue_at(q, id)->kept = true;
  return more;
}

/* The cone of this call and this last, and of all that was removed and was at
 * the front before then. */
static void keep_cone(struct queue_watch *q, uint64_t call, uint64_t last,
                      uint64_t before) {
  struct queue_cone c = {.call = call, .last = last};
  struct round r = {.first = WATCH_NONE, .second = WATCH_NONE};
  for (bool more = true; more;) {
    r.call = r.last = WATCH_NONE;
    look_at_gone(q, &c, before > c.last ? before : c.last, &r);
    more = grow_by_seen(q, &c);
    more |= grow_by_gone(q, &c, r.call);
    more |= grow_by_gone(q, &c, r.last);
  }
  if (r.first != WATCH_NONE)
    queue_at(q, r.first)->kept = true;
  if (r.second != WATCH_NONE)
    queue_at(q, r.second)->kept = true;
}

/* ---- which ---- */

static void keep_for_unseen(struct queue_watch *q) {
  uint64_t open = queue_first_open(q), from = WATCH_NEVER, to = 0;
  for (uint32_t i = 0; i < q->gone.len; i++) {
    const struct queue_value *v = queue_at(q, q->by_came.at[i]);
    if (v->first.ret > open && v->came < from)
      from = v->came;
    to = v->came;
  }
  if (from == WATCH_NEVER)
    return;
  for (uint32_t id = q->first_called;
       id != WATCH_NONE && queue_at(q, id)->call < to;
       id = queue_at(q, id)->after)
    if (queue_at(q, id)->call > from)
      keep_cone(q, queue_at(q, id)->call, 0, open);
  for (uint32_t i = q->crashed.len; i-- > 0;) {
    uint64_t call = queue_at(q, q->crashed.at[i])->call;
    if (call < from)
      return;
    keep_cone(q, call, 0, open);
  }
}

static void keep_seen(struct queue_watch *q) {
  for (uint32_t i = 0; i < q->takers.len; i++)
    if (q->takers.at[i].looks) {
      for (uint32_t k = 0; k < q->gone.len; k++)
        if (queue_at(q, q->gone.at[k])->left > q->takers.at[i].call)
          queue_at(q, q->gone.at[k])->kept = true;
      return;
    }
}

static void choose(struct queue_watch *q) {
  for (uint32_t i = 0; i < q->gone.len; i++)
    queue_at(q, q->gone.at[i])->kept = false;
  keep_seen(q);
  for (uint32_t i = 0; i < q->takers.len; i++)
    keep_cone(q, 0, 0, q->takers.at[i].call);
  keep_cone(q, 0, 0, WATCH_NEVER);
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    keep_cone(q, v->call, v->latest.call, 0);
  }
  keep_for_unseen(q);
}

static void forget(struct queue_watch *q, uint32_t id) {
  struct queue_value *v = queue_at(q, id);
  queue_keep_cover(q, v);
  if (v->put == WATCH_NEVER && !v->crashed)
    v->over = true;
  else
    queue_drop_value(q, id);
}

void queue_forget(struct queue_watch *q) {
  if (q->gone.len < q->forget_at)
    return;
  choose(q);
  uint32_t n = 0, m = 0;
  for (uint32_t i = 0; i < q->gone.len; i++)
    if (queue_at(q, q->by_came.at[i])->kept)
      q->by_came.at[m++] = q->by_came.at[i];
  for (uint32_t i = 0; i < q->gone.len; i++)
    if (queue_at(q, q->gone.at[i])->kept)
      q->gone.at[n++] = q->gone.at[i];
    else
      forget(q, q->gone.at[i]);
  q->gone.len = q->by_came.len = n;
  q->forget_at = 2 * n + FEW;
}
