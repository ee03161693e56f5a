/* Is there an order of the values?  (Q2) and (Q3) of watch_queue_int.h. */
#include "history/stream/watch_queue_int.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void take(struct queue_cone *c, const struct queue_value *v) {
  c->call = later(c->call, v->call);
  c->last = later(c->last, v->latest.call);
}

/* Adds the maxima of a row to the cone; `but` counts with its call only, which
 * does not matter to itself. */
static void take_row(const struct queue_watch *q, struct queue_cone *c,
                     const struct queue_row *r, uint32_t but) {
  uint32_t last = r->last == but ? r->second : r->last;
  c->call = later(c->call, queue_at(q, r->call)->call);
  if (last != WATCH_NONE)
    c->last = later(c->last, queue_at(q, last)->latest.call);
}

/* Adds removed values to the cone: those that were at the front before
 * `before`, and those that must be ahead of the cone.  `but` is left out. */
static bool take_gone(const struct queue_watch *q, struct queue_cone *c,
                      uint64_t before, uint32_t but) {
  const struct queue_row *front, *came;
  front = rows_before(&q->gone, &c->nfront, later(before, c->last));
  if (front)
    take_row(q, c, front, but);
  came = rows_before(&q->by_came, &c->ncame, c->call);
  if (came)
    take_row(q, c, came, but);
  return front || came;
}

/* The same for values inside that were looked at; new ones get this level. */
static bool take_seen(struct queue_watch *q, struct queue_cone *c,
                      uint64_t before, uint32_t but, uint32_t level) {
  bool more = false;
  for (uint32_t i = 0; i < q->seen.len; i++) {
    struct queue_value *v = queue_at(q, q->seen.at[i]);
    if (v->level != WATCH_NONE || q->seen.at[i] == but ||
        (v->first.ret > later(before, c->last) && v->came >= c->call))
      continue;
    v->level = level;
    take(c, v);
    more = true;
  }
  return more;
}

static void clear_levels(struct queue_watch *q) {
  for (uint32_t i = 0; i < q->seen.len; i++)
    queue_at(q, q->seen.at[i])->level = WATCH_NONE;
}

bool queue_can_be_seen(struct queue_watch *q, uint32_t id, uint64_t call) {
  const struct queue_value *v = queue_at(q, id);
  struct queue_cone c = {0};
  clear_levels(q);
  while (take_gone(q, &c, call, id) || take_seen(q, &c, call, id, 0))
    ;
  return v->came > c.call && v->first.ret > c.last;
}

uint32_t queue_rival(const struct queue_watch *q, uint32_t id, uint64_t call) {
  const struct queue_value *v = queue_at(q, id);
  for (uint32_t i = 0; i < q->gone.len + q->seen.len; i++) {
    uint32_t other =
        i < q->gone.len ? q->gone.at[i].id : q->seen.at[i - q->gone.len];
    const struct queue_value *u = queue_at(q, other);
    if (other != id && u->first.ret < call &&
        (v->came < u->call || v->first.ret < u->latest.call))
      return other;
  }
  return WATCH_NONE;
}

/* Values inside that came before a time, counted on from one time to the next.
 * The count ends when it is too large for any t. */
struct queue_count {
  uint32_t n, next;
};

static void count_before(const struct queue_watch *q, struct queue_count *c,
                         uint64_t time) {
  while (c->next != WATCH_NONE && c->n < q->nremovals + 2 &&
         queue_at(q, c->next)->came < time) {
    c->n++;
    c->next = queue_at(q, c->next)->later;
  }
}

static uint32_t count_seen(const struct queue_watch *q, uint64_t from) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    n += v->level != WATCH_NONE && v->came >= from;
  }
  return n;
}

/* The first open removal from the i-th taker on. */
static uint32_t next_removal(const struct queue_watch *q, uint32_t i) {
  while (i < q->takers.len && q->takers.at[i].looks)
    i++;
  return i;
}

uint32_t queue_count_ahead(struct queue_watch *q, uint64_t time,
                           uint64_t *call) {
  struct queue_cone c = {.call = *call};
  struct queue_count inside = {0, q->first};
  clear_levels(q);
  while (take_gone(q, &c, time, WATCH_NONE) ||
         take_seen(q, &c, 0, WATCH_NONE, 0))
    ;
  count_before(q, &inside, c.call);
  *call = c.call;
  return inside.n + count_seen(q, c.call);
}

/* A bound of the t that (Q3) has to look at.  If no value inside was looked at,
 * no cone has more values inside than must be ahead of a removed value. */
static uint32_t last_level(const struct queue_watch *q) {
  struct queue_count inside = {0, q->first};
  if (q->seen.len)
    return q->nremovals + 2;
  if (q->gone.len)
    count_before(q, &inside, queue_at(q, vec_last(&q->gone).call)->call);
  return inside.n + 1;
}

bool queue_fits(struct queue_watch *q) {
  struct queue_cone c = {0};
  struct queue_count inside = {0, q->first};
  uint32_t at = next_removal(q, 0), end = last_level(q);
  uint64_t seen_before = 0;
  vec_clear(&q->levels);
  clear_levels(q);
  for (uint32_t t = 0; t < end; t++) {
    uint64_t before = at < q->takers.len ? q->takers.at[at].call : WATCH_NEVER;
    while (take_gone(q, &c, before, WATCH_NONE) ||
           take_seen(q, &c, seen_before, WATCH_NONE, t))
      ;
    count_before(q, &inside, c.call);
    if (inside.n + count_seen(q, c.call) > t)
      return false;
    vec_push(&q->levels, c.call);
    seen_before = before;
    at = next_removal(q, at + 1);
  }
  return true;
}
