/*
 * The past of a queue, for search: a part of the history that was.  It has the
 * values that are inside, of those that have left the ones that Q3 speaks of
 * and those that were certainly inside when somebody may have found nothing,
 * and the removals that did find nothing.
 *
 * A gap that explains nothing (Q4) has N > P in it too, or one of the values
 * that have left was certainly inside.
 */
#include "check/watch_queue_int.h"

enum { FEW_COVERS = 32, MOST_COVERS = 1 << 16 };

/* The call of the first removal that is open and may find nothing. */
static uint64_t first_open(const struct queue_watch *q) {
  for (uint32_t i = 0; i < q->removals.len; i++)
    if (!q->removals.at[i].crashed)
      return q->removals.at[i].call;
  return WATCH_NEVER;
}

/* Was it inside when somebody found nothing, or may have? */
static bool is_cover(const struct queue_watch *q, const struct queue_left *x) {
  if (x->taking > first_open(q))
    return true;
  for (uint32_t i = 0; i < q->misses.len; i++)
    if (x->came < q->misses.at[i].ret && x->taking > q->misses.at[i].call)
      return true;
  return false;
}

static void prune(struct queue_watch *q) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->covers.len; i++)
    if (is_cover(q, &q->covers.at[i]))
      q->covers.at[n++] = q->covers.at[i];
  q->covers.len = n;
  if (n >= MOST_COVERS) {
    vec_clear(&q->covers);
    q->covers_from = q->watch.now;
  }
  q->prune_at = 2 * q->covers.len + FEW_COVERS;
}

void queue_keep_cover(struct queue_watch *q, struct queue_left x) {
  if (!is_cover(q, &x))
    return;
  if (q->covers.len >= q->prune_at)
    prune(q);
  vec_push(&q->covers, x);
}

static void value_past(const struct queue_watch *q, const struct queue_value *v,
                       struct past *out) {
  const struct watch *w = &q->watch;
  uint64_t call = v->call * PAST_SCALE;
  if (v->left)
    past_add(out, &w->got, v->value, v->taking * PAST_SCALE,
             v->left * PAST_SCALE);
  else if (v->came != WATCH_NEVER)
    past_add(out, &w->put, v->value, call, v->came * PAST_SCALE);
  else if (v->crashed)
    past_add(out, &w->put, v->value, call, WATCH_NEVER);
}

/* Under another name, and a little later, since some of it may be there
 * already: its insertion, if that is open, or all of it. */
static void left_past(const struct queue_watch *q, const struct queue_left *x,
                      uint32_t name, struct past *out) {
  const struct watch *w = &q->watch;
  datum value = watch_fresh_value(name);
  uint64_t came = x->came < x->left ? x->came : x->left;
  past_add(out, &w->put, value, x->call * PAST_SCALE + 1,
           came * PAST_SCALE + 4);
  past_add(out, &w->got, value, x->taking * PAST_SCALE + 2,
           x->left * PAST_SCALE + 3);
}

static void removals_past(const struct queue_watch *q, struct past *out) {
  uint64_t latest = 0;
  for (uint32_t i = 0; i < q->removals.len; i++) {
    const struct queue_removal *r = &q->removals.at[i];
    if (r->crashed)
      past_add(out, &q->watch.getting, DATUM_NONE, r->call * PAST_SCALE,
               WATCH_NEVER);
    if (r->latest.call > latest) {
      latest = r->latest.call;
      left_past(q, &r->latest, i, out);
    }
  }
}

bool watch_queue_past(struct watch *w, struct past *out) {
  struct queue_watch *q = (struct queue_watch *)w;
  for (uint32_t i = 0; i < q->map.size; i++)
    if (q->map.slots[i].id != WATCH_NONE)
      value_past(q, &q->values.at[q->map.slots[i].id], out);
  removals_past(q, out);
  for (uint32_t i = 0; i < q->misses.len; i++)
    past_add(out, &w->missed, DATUM_NONE, q->misses.at[i].call * PAST_SCALE,
             q->misses.at[i].ret * PAST_SCALE);
  prune(q);
  for (uint32_t i = 0; i < q->covers.len; i++) {
    const struct queue_left *x = &q->covers.at[i];
    past_add(out, &w->put, x->value, x->call * PAST_SCALE,
             x->came * PAST_SCALE);
    past_add(out, &w->got, x->value, x->taking * PAST_SCALE,
             x->left * PAST_SCALE);
  }
  return q->covers_from < first_open(q) &&
         (!q->misses.len || q->covers_from < q->misses.at[0].call);
}
