/* Watches a queue: watch_queue_int.h has the conditions. */
#include "check/watch_queue_int.h"

#include <assert.h>

static enum watch_end bad(struct queue_watch *q, datum value, const char *why) {
  if (value != DATUM_NONE)
    datum_print(value, &q->watch.why);
  buf_puts(&q->watch.why, why);
  return WATCH_BAD;
}

/* ---- values ---- */

static void add_value(struct queue_watch *q, datum value, uint64_t call) {
  struct queue_value v = {.value = value,
                          .call = call,
                          .came = WATCH_NEVER,
                          .earlier = WATCH_NONE,
                          .later = WATCH_NONE};
  uint32_t id = q->values.len;
  if (q->free.len)
    q->values.at[id = vec_pop(&q->free)] = v;
  else
    vec_push(&q->values, v);
  value_map_put(&q->map, value, id);
}

static void drop_value(struct queue_watch *q, uint32_t id) {
  value_map_drop(&q->map, q->values.at[id].value);
  vec_push(&q->free, id);
}

/* Its insertion has returned: it is the last that came. */
static void come(struct queue_watch *q, uint32_t id) {
  struct queue_value *v = &q->values.at[id];
  v->came = q->watch.now;
  v->earlier = q->last;
  if (q->last == WATCH_NONE)
    q->first = id;
  else
    q->values.at[q->last].later = id;
  q->last = id;
  q->ninside++;
}

static void take_out(struct queue_watch *q, uint32_t id) {
  const struct queue_value *v = &q->values.at[id];
  if (v->earlier == WATCH_NONE)
    q->first = v->later;
  else
    q->values.at[v->earlier].later = v->later;
  if (v->later == WATCH_NONE)
    q->last = v->earlier;
  else
    q->values.at[v->later].earlier = v->earlier;
  q->ninside--;
}

/* N, counted on as times grow. */
struct count {
  uint32_t n, next;
};

static void count_before(const struct queue_watch *q, struct count *c,
                         uint64_t time) {
  while (c->next != WATCH_NONE && q->values.at[c->next].came < time) {
    c->n++;
    c->next = q->values.at[c->next].later;
  }
}

/* ---- gaps ---- */

/* The gap behind the last event. */
static void add_gap(struct queue_watch *q) {
  uint64_t now = q->watch.now;
  if (!q->ninside) {
    q->free_gap = now;
    vec_clear(&q->gaps);
    vec_clear(&q->misses);
  } else if (q->ninside <= q->removals.len) {
    if (q->gaps.len && q->mark <= vec_last(&q->gaps).last)
      vec_last(&q->gaps).last = now;
    else
      vec_push(&q->gaps, ((struct queue_gaps){now, now}));
  }
}

static bool explains(const struct queue_gaps *g, const struct queue_miss *m) {
  return g->first < m->ret && g->last >= m->call;
}

/* They are explained for good. */
static void free_gaps(struct queue_watch *q, const struct queue_gaps *g) {
  uint32_t n = 0;
  if (g->last > q->free_gap)
    q->free_gap = g->last;
  for (uint32_t i = 0; i < q->misses.len; i++)
    if (!explains(g, &q->misses.at[i]))
      q->misses.at[n++] = q->misses.at[i];
  q->misses.len = n;
}

/* N and P of gaps, counted on from one to the next. */
struct slack {
  struct count inside;
  uint32_t called;
};

static void count_gaps(const struct queue_watch *q, struct slack *s,
                       const struct queue_gaps *g) {
  count_before(q, &s->inside, g->last + 1);
  while (s->called < q->removals.len &&
         q->removals.at[s->called].call <= g->last)
    s->called++;
}

/* A removal is over, and what was certainly inside from `from` to `to` has
 * left: which gaps are left? */
static void renew_gaps(struct queue_watch *q, uint64_t from, uint64_t to) {
  struct slack s = {{0, q->first}, 0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->gaps.len; i++) {
    struct queue_gaps g = q->gaps.at[i];
    if (from <= g.last && g.last < to)
      continue;
    count_gaps(q, &s, &g);
    if (!s.inside.n)
      free_gaps(q, &g);
    else if (s.inside.n <= s.called)
      q->gaps.at[n++] = g;
  }
  q->gaps.len = n;
}

/* Those that have the same future now are one.  What lies between them explains
 * nothing, so that must have been looked at before. */
static void join_gaps(struct queue_watch *q) {
  struct slack s = {{0, q->first}, 0};
  uint32_t n = 0, inside = 0, called = 0;
  for (uint32_t i = 0; i < q->gaps.len; i++) {
    struct queue_gaps g = q->gaps.at[i];
    count_gaps(q, &s, &g);
    if (n && inside == s.inside.n && called == s.called)
      q->gaps.at[n - 1].last = g.last;
    else
      q->gaps.at[n++] = g;
    inside = s.inside.n;
    called = s.called;
  }
  q->gaps.len = n;
}

/* Is each removal that found nothing still explained?  Those that the same gaps
 * and more explain as another one are forgotten. */
static bool renew_misses(struct queue_watch *q) {
  uint32_t g = 0, n = 0, last = WATCH_NONE;
  for (uint32_t i = 0; i < q->misses.len; i++) { /* by call and return */
    const struct queue_miss m = q->misses.at[i];
    while (g < q->gaps.len && q->gaps.at[g].last < m.call)
      g++;
    if (g == q->gaps.len || !explains(&q->gaps.at[g], &m))
      return false;
    if (g != last)
      q->misses.at[n++] = m;
    last = g;
  }
  q->misses.len = n;
  return true;
}

/* ---- removals ---- */

static uint32_t removal_of(const struct queue_watch *q, uint64_t call) {
  uint32_t lo = 0, hi = q->removals.len;
  while (hi - lo > 1) {
    uint32_t mid = lo + (hi - lo) / 2;
    *(q->removals.at[mid].call <= call ? &lo : &hi) = mid;
  }
  return lo;
}

/* Q3: all of those that left count; `limit` open removals were called before
 * the first of them. */
static bool some_must_be_gone(const struct queue_watch *q, uint64_t before_all,
                              uint32_t *who) {
  struct count c = {0, q->first};
  uint64_t latest = before_all;
  count_before(q, &c, latest);
  *who = q->first;
  if (c.n)
    return true;
  for (uint32_t i = 0; i < q->removals.len; i++) {
    if (q->removals.at[i].latest.call > latest)
      latest = q->removals.at[i].latest.call;
    count_before(q, &c, latest);
    if (c.n > i + 1)
      return true;
  }
  return false;
}

/* Q2: did what came later leave before this removal was called? */
static bool is_passed_by(const struct queue_watch *q, uint32_t removal,
                         const struct queue_value *v) {
  for (uint32_t i = 0; i < removal; i++)
    if (q->removals.at[i].latest.call > v->came)
      return true;
  return false;
}

/* It is open no more.  What left before all others that are open were called
 * can only be judged now: the latest call of its insertions. */
static uint64_t close_removal(struct queue_watch *q, uint32_t k) {
  struct queue_left latest = q->removals.at[k].latest;
  if (k && q->removals.at[k - 1].latest.call < latest.call)
    q->removals.at[k - 1].latest = latest;
  for (uint32_t i = k + 1; i < q->removals.len; i++)
    q->removals.at[i - 1] = q->removals.at[i];
  q->removals.len--;
  return k ? 0 : latest.call;
}

static enum watch_end judge(struct queue_watch *q, uint64_t before_all,
                            uint64_t from, uint64_t to) {
  uint32_t who;
  if (some_must_be_gone(q, before_all, &who))
    return bad(q, q->values.at[who].value,
               " is inside, and came before others that have left, more than "
               "the open removals explain");
  renew_gaps(q, from, to);
  if (!renew_misses(q))
    return bad(q, DATUM_NONE,
               "something was inside all the time when nothing was found");
  join_gaps(q);
  return WATCH_GOOD;
}

/* It leaves now.  The same as an answer to Q2 and Q3. */
static enum watch_end leaves(struct queue_watch *q, uint32_t k,
                             struct queue_left x) {
  uint64_t before_all = close_removal(q, k);
  if (!q->removals.len) {
    if (before_all < x.call)
      before_all = x.call;
  } else if (vec_last(&q->removals).latest.call < x.call) {
    vec_last(&q->removals).latest = x;
  }
  return judge(q, before_all, x.came, x.taking);
}

static enum watch_end took(struct queue_watch *q, const struct watch_op *x,
                           datum value) {
  uint32_t id = value_map_get(&q->map, value), k = removal_of(q, x->call);
  if (id == WATCH_NONE || q->values.at[id].left)
    return bad(q, value, " was not inside: nobody put it, or it was removed");
  struct queue_value *v = &q->values.at[id];
  struct queue_left gone = {value, v->call, v->came, x->call, q->watch.now};
  if (v->came == WATCH_NEVER) {
    v->taking = x->call;
    v->left = q->watch.now;
    if (v->crashed)
      drop_value(q, id);
    return leaves(q, k, gone);
  }
  if (is_passed_by(q, k, v))
    return bad(q, value,
               " came before others that had left when it was called");
  take_out(q, id);
  drop_value(q, id);
  enum watch_end end = leaves(q, k, gone);
  if (gone.came < gone.taking)
    queue_keep_cover(q, gone);
  return end;
}

static enum watch_end missed(struct queue_watch *q, const struct watch_op *x) {
  uint64_t before_all = close_removal(q, removal_of(q, x->call));
  enum watch_end end = judge(q, before_all, 0, 0);
  if (end != WATCH_GOOD || x->call <= q->free_gap)
    return end;
  if (!q->misses.len || vec_last(&q->misses).call < x->call)
    vec_push(&q->misses, ((struct queue_miss){x->call, q->watch.now}));
  if (!renew_misses(q))
    return bad(q, DATUM_NONE, "something was inside all the time");
  return WATCH_GOOD;
}

/* ---- events ---- */

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  if (x->t.role == ROLE_ADD) {
    datum value = x->t.arg[0];
    if (value == w->type->empty || value_map_get(&q->map, value) != WATCH_NONE)
      return WATCH_CANNOT;
    form_learn(&w->put, &x->op, &x->t);
    add_value(q, value, x->call);
  } else if (x->t.role == ROLE_REMOVE) {
    form_learn(&w->getting, &x->op, &x->t);
    vec_push(&q->removals, ((struct queue_removal){.call = x->call}));
    q->mark = w->now;
  } else {
    return WATCH_CANNOT;
  }
  add_gap(q);
  return WATCH_GOOD;
}

static void put_returned(struct queue_watch *q, datum value) {
  uint32_t id = value_map_get(&q->map, value);
  assert(id != WATCH_NONE);
  if (q->values.at[id].left) {
    drop_value(q, id);
  } else {
    come(q, id);
    q->mark = q->watch.now;
  }
}

/* Some removals wait instead of finding nothing. */
static bool can_miss(struct type *type, const struct type_op *t) {
  uint32_t next[TYPE_NEXT];
  return type->step(type, type->initial, t, next) > 0;
}

static enum watch_end removal_returned(struct queue_watch *q,
                                       const struct watch_op *x,
                                       const struct type_op *t) {
  struct watch *w = &q->watch;
  if (t->any_result)
    return WATCH_CANNOT;
  if (t->result != w->type->empty) {
    form_learn(&w->got, t->op, t);
    return took(q, x, t->result);
  }
  if (!can_miss(w->type, t))
    return WATCH_CANNOT;
  form_learn(&w->missed, t->op, t);
  return missed(q, x);
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct queue_watch *q = (struct queue_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (t->op->failed || t->role != x->t.role)
    return WATCH_CANNOT;
  if (t->role == ROLE_REMOVE)
    end = removal_returned(q, x, t);
  else if (!t->any_result && t->result != DATUM_TRUE && t->result != DATUM_NONE)
    end = WATCH_CANNOT;
  else
    put_returned(q, t->arg[0]);
  if (end == WATCH_GOOD)
    add_gap(q);
  return end;
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (x->t.role == ROLE_REMOVE) {
    uint64_t before_all = close_removal(q, removal_of(q, x->call));
    end = judge(q, before_all, 0, 0);
  } else {
    uint32_t id = value_map_get(&q->map, x->t.arg[0]);
    if (q->values.at[id].left)
      return bad(q, x->t.arg[0], " was removed, but nobody put it");
    drop_value(q, id);
  }
  add_gap(q);
  return end;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct queue_watch *q = (struct queue_watch *)w;
  if (x->t.role == ROLE_REMOVE) {
    q->removals.at[removal_of(q, x->call)].crashed = true;
    return;
  }
  uint32_t id = value_map_get(&q->map, x->t.arg[0]);
  if (q->values.at[id].left)
    drop_value(q, id);
  else
    q->values.at[id].crashed = true;
}

static bool is_new(const struct watch *w) {
  const struct queue_watch *q = (const struct queue_watch *)w;
  return !q->map.n && !q->removals.len;
}

static uint64_t bytes(const struct watch *w) {
  const struct queue_watch *q = (const struct queue_watch *)w;
  return sizeof *q + q->map.size * sizeof *q->map.slots +
         q->values.cap * sizeof *q->values.at + q->free.cap * 4ull +
         q->removals.cap * sizeof *q->removals.at +
         q->gaps.cap * sizeof *q->gaps.at +
         q->misses.cap * sizeof *q->misses.at +
         q->covers.cap * sizeof *q->covers.at + watch_bytes(w);
}

static void free_queue(struct watch *w) {
  struct queue_watch *q = (struct queue_watch *)w;
  free(q->map.slots);
  vec_free(&q->values);
  vec_free(&q->free);
  vec_free(&q->removals);
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
