/*
 * The past of a queue, for search: a part of the history that was seen.  It has
 * - the values that are inside and the remembered ones that have left, each
 * with its insertion, the operation that returned it first, the one that was
 * called last, and its removal: no other operation on it matters;
 * - the operations that returned "empty";
 * - `covers`: values that were certainly inside during an operation that
 *   returned "empty" or may.
 *
 *   put(2)  a: peek() = 2  b: peek() = 2  c: peek() = 2
 *   becomes  put(2)  a: peek() = 2  c: peek() = 2
 *
 * A gap that is bad by (Q4) is bad in the past, too: too many values are
 * inside, or a value that was returned was certainly inside.
 */
#include "history/stream/watch_queue_int.h"

enum { FEW_COVERS = 32, MOST_COVERS = 1 << 16 };

/* Whether the value was certainly inside during an operation that returned
 * "empty", or that is open and may. */
static bool is_cover(const struct queue_watch *q, const struct queue_cover *x) {
  if (x->last > queue_first_open(q))
    return true;
  for (uint32_t i = 0; i < q->misses.len; i++)
    if (x->came < q->misses.at[i].ret && x->last > q->misses.at[i].call)
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

void queue_keep_cover(struct queue_watch *q, const struct queue_value *v) {
  struct queue_cover x = {v->call, v->came, v->latest.call, v->removal.ret};
  if (x.came > x.last || !is_cover(q, &x))
    return;
  if (q->covers.len >= q->prune_at || q->watch.hastens)
    prune(q);
  vec_push(&q->covers, x);
}

static void sight_past(const struct watch_form *f, datum value,
                       struct queue_sight s, struct watch_past *out) {
  past_add(out, f, value, s.call * PAST_SCALE, s.ret * PAST_SCALE);
}

/* A removal that returned a value; if none has returned yet, an open one as if
 * it had. */
static struct watch_form got_form(const struct watch *w) {
  struct watch_form f = w->got.known ? w->got : w->getting;
  f.t.any_result = false;
  return f;
}

static void value_past(const struct queue_watch *q, const struct queue_value *v,
                       struct watch_past *out) {
  const struct watch *w = &q->watch;
  struct watch_form got = got_form(w);
  uint64_t call = v->call * PAST_SCALE;
  if (v->crashed)
    past_add(out, &w->put, v->value, call, WATCH_NEVER);
  else if (v->put != WATCH_NEVER)
    past_add(out, &w->put, v->value, call, v->put * PAST_SCALE);
  if (v->first.ret != WATCH_NEVER && v->first.ret != v->removal.ret)
    sight_past(&q->looked, v->value, v->first, out);
  if (v->latest.call && v->latest.ret != v->removal.ret &&
      v->latest.ret != v->first.ret)
    sight_past(&q->looked, v->value, v->latest, out);
  if (v->left != WATCH_NEVER)
    sight_past(&got, v->value, v->removal, out);
}

/* The value gets a fresh name, since an equal one may be inside again.  Its
 * events come a little later, since its insertion may be open and then has its
 * place already. */
static void cover_past(const struct watch *w, const struct queue_cover *x,
                       uint32_t name, struct watch_past *out) {
  datum value = watch_fresh_value(name);
  struct watch_form got = got_form(w);
  past_add(out, &w->put, value, x->call * PAST_SCALE + 1,
           x->came * PAST_SCALE + 2);
  past_add(out, &got, value, x->last * PAST_SCALE + 3,
           x->removed * PAST_SCALE + 4);
}

bool watch_queue_past(struct watch *w, struct watch_past *out) {
  struct queue_watch *q = (struct queue_watch *)w;
  for (uint32_t i = 0; i < q->map.size; i++) {
    uint32_t id = q->map.slots[i].id;
    if (id != WATCH_NONE &&
        (queue_at(q, id)->left == WATCH_NEVER || queue_at(q, id)->over))
      value_past(q, queue_at(q, id), out);
  }
  for (uint32_t i = 0; i < q->gone.len; i++)
    value_past(q, queue_at(q, q->gone.at[i].id), out);
  for (uint32_t i = 0; i < q->takers.len; i++)
    if (q->takers.at[i].crashed)
      past_add(out, &w->getting, DATUM_NONE, q->takers.at[i].call * PAST_SCALE,
               WATCH_NEVER);
  for (uint32_t i = 0; i < q->misses.len; i++) {
    const struct queue_miss *m = &q->misses.at[i];
    past_add(out, m->looks ? &q->missed_look : &w->missed, DATUM_NONE,
             m->call * PAST_SCALE, m->ret * PAST_SCALE);
  }
  prune(q);
  for (uint32_t i = 0; i < q->covers.len; i++)
    cover_past(w, &q->covers.at[i], i, out);
  return q->covers_from < queue_first_open(q) &&
         (!q->misses.len || q->covers_from < q->misses.at[0].call);
}
