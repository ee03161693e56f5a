/* The events of a queue: watch_queue_int.h has the conditions. */
#include "history/stream/watch_queue_int.h"

#include "base/slow.h"

#include <assert.h>

static enum watch_end bad(struct queue_watch *q, datum value, const char *why) {
  if (value != DATUM_NONE)
    datum_print(value, &q->watch.why);
  buf_puts(&q->watch.why, why);
  return WATCH_BAD;
}

/* ---- values ---- */

void queue_unsee(struct queue_watch *q, uint32_t id) {
  uint32_t i = 0;
  while (q->seen.at[i] != id)
    i++;
  q->seen.at[i] = vec_last(&q->seen);
  q->seen.len--;
}

static void add_value(struct queue_watch *q, datum value, uint64_t call) {
  struct queue_value v = {.value = value,
                          .call = call,
                          .put = WATCH_NEVER,
                          .came = WATCH_NEVER,
                          .first = {0, WATCH_NEVER},
                          .left = WATCH_NEVER,
                          .level = WATCH_NONE,
                          .earlier = WATCH_NONE,
                          .later = WATCH_NONE};
  uint32_t id = q->values.len;
  if (q->free.len)
    q->values.at[id = vec_pop(&q->free)] = v;
  else
    vec_push(&q->values, v);
  value_map_put(&q->map, value, id);
  q->ncoming++;
}

void queue_drop_value(struct queue_watch *q, uint32_t id) {
  const struct queue_value *v = queue_at(q, id);
  if (value_map_get(&q->map, v->value) == id)
    value_map_drop(&q->map, v->value);
  vec_push(&q->free, id);
}

/* The first operation on the value returns: it comes last in the list (Q5). */
static void come(struct queue_watch *q, uint32_t id) {
  struct queue_value *v = queue_at(q, id);
  v->came = q->mark = q->watch.now;
  v->earlier = q->last;
  if (q->last == WATCH_NONE)
    q->first = id;
  else
    queue_at(q, q->last)->later = id;
  q->last = id;
  q->ncoming--;
  q->ninside++;
}

void queue_leave(struct queue_watch *q, uint32_t id) {
  const struct queue_value *v = queue_at(q, id);
  if (v->earlier == WATCH_NONE)
    q->first = v->later;
  else
    queue_at(q, v->earlier)->later = v->later;
  if (v->later == WATCH_NONE)
    q->last = v->earlier;
  else
    queue_at(q, v->later)->earlier = v->earlier;
  q->ninside--;
}

bool queue_may_be_seen(const struct queue_watch *q,
                       const struct queue_value *v) {
  for (uint32_t i = 0; i < q->takers.len && q->takers.at[i].call < v->left; i++)
    if (q->takers.at[i].looks)
      return true;
  return false;
}

/* Whether every later mention of the value means the new one: no equal value is
 * inside or on its way, and no open look may return the old one. */
static bool can_put(const struct queue_watch *q, datum value) {
  uint32_t id = value_map_get(&q->map, value);
  if (id == WATCH_NONE)
    return value != q->watch.type->empty;
  const struct queue_value *v = queue_at(q, id);
  return v->left != WATCH_NEVER && (v->put != WATCH_NEVER || v->crashed) &&
         !queue_may_be_seen(q, v);
}

/* ---- removals and looks ---- */

static uint32_t taker_of(const struct queue_watch *q, uint64_t call) {
  uint32_t i = q->takers.len;
  while (i && q->takers.at[i - 1].call != call)
    i--;
  return i - 1; /* WATCH_NONE: a look that was given up */
}

static void close_taker(struct queue_watch *q, uint64_t call) {
  uint32_t k = taker_of(q, call);
  if (k == WATCH_NONE)
    return;
  q->nremovals -= !q->takers.at[k].looks;
  for (uint32_t i = k + 1; i < q->takers.len; i++)
    q->takers.at[i - 1] = q->takers.at[i];
  q->takers.len--;
}

/* (Q3) fails: names a value that is inside though it must be gone.  `id` is the
 * value that the operation called at `call` returned; WATCH_NONE: it returned
 * none. */
static enum watch_end does_not_fit(struct queue_watch *q, uint32_t id,
                                   uint64_t call) {
  const char *why = " is still inside, but was added before values that left "
                    "or were at the front";
  uint32_t who = q->first;
  if (id != WATCH_NONE && queue_at(q, who)->came < queue_at(q, id)->call)
    why = ", which was added earlier, is still inside";
  for (uint32_t i = 0; i < q->seen.len && id != WATCH_NONE; i++)
    if (q->seen.at[i] != id && queue_at(q, q->seen.at[i])->first.ret < call) {
      who = q->seen.at[i];
      why = " was at the front before, and is still inside";
    }
  enum watch_end end = bad(q, queue_at(q, who)->value, why);
  if (q->nremovals)
    buf_puts(&q->watch.why, ", and pending removals do not explain that");
  return end;
}

static enum watch_end cannot_be_seen(struct queue_watch *q, uint32_t id,
                                     uint64_t call) {
  uint32_t rival = queue_rival(q, id, call);
  if (rival == WATCH_NONE)
    return bad(q, queue_at(q, id)->value,
               " must come before a value that was at the front earlier");
  const struct queue_value *u = queue_at(q, rival);
  return bad(q, u->value,
             queue_at(q, id)->came < u->call
                 ? ", which was added later, was at the front before"
                 : " was at the front before, and the returned value was there "
                   "before that");
}

/* A removal or look returned the value: it was at the front. */
static enum watch_end saw(struct queue_watch *q, const struct watch_op *x,
                          datum value, bool looks) {
  uint64_t now = q->watch.now;
  uint32_t id = value_map_get(&q->map, value);
  close_taker(q, x->call);
  if (id == WATCH_NONE || queue_at(q, id)->left < (looks ? x->call : now))
    return bad(q, value, /* Q1 */
               " was not inside: it was not added, or it was removed");
  struct queue_value *v = queue_at(q, id);
  if (v->came == WATCH_NEVER)
    come(q, id);
  if (v->latest.call < x->call && !queue_can_be_seen(q, id, x->call))
    return cannot_be_seen(q, id, x->call);
  if (v->first.ret == WATCH_NEVER) {
    v->first = (struct queue_sight){x->call, now};
    vec_push(&q->seen, id);
  }
  if (v->latest.call < x->call) {
    v->latest = (struct queue_sight){x->call, now};
    if (v->left != WATCH_NEVER)
      queue_change_gone(q, id);
  }
  if (!looks) {
    v->removal = (struct queue_sight){x->call, now};
    v->left = now;
    queue_leave(q, id);
    queue_unsee(q, id);
    queue_add_gone(q, id);
  }
  if (!queue_fits(q))
    return does_not_fit(q, id, x->call);
  if (!queue_renew_gaps(q, v->came, v->latest.call))
    return bad(q, DATUM_NONE,
               "some value was inside when an operation found nothing");
  queue_give_to_crashed(q);
  queue_forget(q);
  return WATCH_GOOD;
}

/* A removal or look is not open any more, and returned no value. */
static enum watch_end judge(struct queue_watch *q, const char *why) {
  if (!queue_fits(q))
    return does_not_fit(q, WATCH_NONE, 0);
  return queue_renew_gaps(q, 0, 0) ? WATCH_GOOD : bad(q, DATUM_NONE, why);
}

static enum watch_end missed(struct queue_watch *q, const struct watch_op *x,
                             bool looks) {
  close_taker(q, x->call);
  queue_add_miss(q, (struct queue_miss){x->call, q->watch.now, looks});
  enum watch_end end = judge(q, "some value was inside at every moment");
  if (end == WATCH_GOOD)
    queue_give_to_crashed(q);
  return end;
}

/* ---- events ---- */

bool queue_check_invariants(const struct queue_watch *q) {
  uint32_t n = 0, removals = 0;
  uint64_t came = 0;
  for (uint32_t i = q->first; i != WATCH_NONE; i = queue_at(q, i)->later, n++) {
    const struct queue_value *v = queue_at(q, i);
    if (v->came < came || v->left != WATCH_NEVER ||
        (v->later == WATCH_NONE) != (i == q->last))
      return false; /* Q5 */
    came = v->came;
  }
  for (uint32_t i = 0; i < q->takers.len; i++) {
    removals += !q->takers.at[i].looks;
    if (i && q->takers.at[i].call <= q->takers.at[i - 1].call)
      return false; /* Q6 */
  }
  for (uint32_t i = 1; i < q->gone.len; i++)
    if (q->gone.at[i].time < q->gone.at[i - 1].time ||
        q->by_came.at[i].time < q->by_came.at[i - 1].time)
      return false; /* Q7 */
  for (uint32_t i = 1; i < q->misses.len; i++)
    if (q->misses.at[i].call <= q->misses.at[i - 1].call ||
        q->misses.at[i].ret <= q->misses.at[i - 1].ret)
      return false; /* Q8 */
  return n == q->ninside && removals == q->nremovals &&
         q->gone.len == q->by_came.len;
}

/* A check of each event would make long streams quadratic. */
static bool is_time_to_check(const struct queue_watch *q) {
  return q->ninside + q->gone.len < 64 || q->watch.now % 1024 == 0;
}

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  bool looks = x->t.role == ROLE_PEEK;
  if (x->t.role == ROLE_ADD) {
    if (!can_put(q, x->t.arg[0]))
      return WATCH_CANNOT;
    form_learn(&w->put, &x->op, &x->t);
    add_value(q, x->t.arg[0], x->call);
  } else if (looks || x->t.role == ROLE_REMOVE) {
    if (!looks)
      form_learn(&w->getting, &x->op, &x->t);
    vec_push(&q->takers,
             ((struct queue_taker){.call = x->call, .looks = looks}));
    q->nremovals += !looks;
    q->mark = w->now;
  } else {
    return WATCH_CANNOT;
  }
  queue_add_gap(q);
  return WATCH_GOOD;
}

static void put_returned(struct queue_watch *q, datum value) {
  uint32_t id = value_map_get(&q->map, value);
  assert(id != WATCH_NONE);
  struct queue_value *v = queue_at(q, id);
  v->put = q->watch.now;
  if (v->came == WATCH_NEVER)
    come(q, id);
}

/* Some removals wait while the queue is empty: they never return "empty". */
static bool can_miss(struct type *type, const struct type_op *t) {
  uint32_t next[TYPE_NEXT];
  return type->step(type, type->initial, t, next) > 0;
}

static enum watch_end taker_returned(struct queue_watch *q,
                                     const struct watch_op *x,
                                     const struct type_op *t) {
  struct watch *w = &q->watch;
  bool looks = t->role == ROLE_PEEK;
  if (t->any_result && !looks)
    return WATCH_CANNOT;
  if (t->any_result) { /* a look whose result is not known */
    close_taker(q, x->call);
    return WATCH_GOOD;
  }
  if (t->result != w->type->empty) {
    form_learn(looks ? &q->looked : &w->got, t->op, t);
    return saw(q, x, t->result, looks);
  }
  if (!can_miss(w->type, t))
    return WATCH_CANNOT;
  form_learn(looks ? &q->missed_look : &w->missed, t->op, t);
  return missed(q, x, looks);
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct queue_watch *q = (struct queue_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (t->op->failed || t->role != x->t.role)
    return WATCH_CANNOT;
  if (t->role != ROLE_ADD)
    end = taker_returned(q, x, t);
  else if (!t->any_result && t->result != DATUM_TRUE && t->result != DATUM_NONE)
    end = WATCH_CANNOT;
  else
    put_returned(q, t->arg[0]);
  if (end == WATCH_GOOD)
    queue_add_gap(q);
  /* After a violation nothing is kept in order any more. */
  check_slow(end != WATCH_GOOD || !is_time_to_check(q) ||
             queue_check_invariants(q));
  return end;
}

static enum watch_end put_dropped(struct queue_watch *q, datum value) {
  uint32_t id = value_map_get(&q->map, value);
  if (queue_at(q, id)->came != WATCH_NEVER)
    return bad(q, value, " was seen, but nobody added it");
  queue_drop_value(q, id);
  q->ncoming--;
  return WATCH_GOOD;
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (x->t.role == ROLE_ADD) {
    end = put_dropped(q, x->t.arg[0]);
  } else {
    close_taker(q, x->call);
    end = judge(q, "some value was inside when an operation found nothing");
  }
  queue_add_gap(q);
  return end;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  if (x->t.role == ROLE_PEEK)
    close_taker(q, x->call);
  else if (x->t.role == ROLE_REMOVE)
    q->takers.at[taker_of(q, x->call)].crashed = true;
  else
    queue_at(q, value_map_get(&q->map, x->t.arg[0]))->crashed = true;
}

/* A look that is given up counts as if it had not been called. */
static bool gives_up(struct watch *w, const struct watch_op *x) {
  if (x->t.role == ROLE_PEEK)
    close_taker((struct queue_watch *)w, x->call);
  return x->t.role == ROLE_PEEK;
}

static bool is_new(const struct watch *w) {
  const struct queue_watch *q = (const struct queue_watch *)w;
  return !w->open.len && !q->ninside && !q->takers.len && !q->ncoming;
}

static uint64_t bytes(const struct watch *w) {
  const struct queue_watch *q = (const struct queue_watch *)w;
  uint64_t ids =
      q->free.cap + q->seen.cap + q->over.cap + q->gone.cap + q->by_came.cap;
  return sizeof *q + q->map.size * sizeof *q->map.slots +
         q->values.cap * sizeof *q->values.at + ids * 4 +
         (q->gone.cap + q->by_came.cap) * sizeof *q->gone.at +
         q->takers.cap * sizeof *q->takers.at +
         q->levels.cap * sizeof *q->levels.at +
         q->gaps.cap * sizeof *q->gaps.at +
         q->misses.cap * sizeof *q->misses.at +
         q->covers.cap * sizeof *q->covers.at + watch_bytes(w);
}

static void free_queue(struct watch *w) {
  struct queue_watch *q = (struct queue_watch *)w;
  free(q->map.slots);
  vec_free(&q->values);
  vec_free(&q->free);
  vec_free(&q->seen);
  vec_free(&q->over);
  vec_free(&q->gone);
  vec_free(&q->by_came);
  vec_free(&q->takers);
  vec_free(&q->levels);
  vec_free(&q->gaps);
  vec_free(&q->misses);
  vec_free(&q->covers);
  free(q);
}

static const struct watch_kind kind = {
    .called = called,
    .returned = returned,
    .dropped = dropped,
    .crashed = crashed,
    .gives_up = gives_up,
    .past = watch_queue_past,
    .is_new = is_new,
    .bytes = bytes,
    .free = free_queue,
};

struct watch *watch_queue(struct type *t) {
  struct queue_watch *q = xcalloc(1, sizeof *q);
  q->watch.kind = &kind;
  q->watch.type = t;
  q->first = q->last = WATCH_NONE;
  return &q->watch;
}
