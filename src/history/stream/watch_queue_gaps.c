/* Moments at which the queue can have been empty: (Q4) of watch_queue_int.h. */
#include "history/stream/watch_queue_int.h"

void queue_add_gap(struct queue_watch *q) {
  uint64_t now = q->watch.now;
  if (!q->ninside) {
    /* No operation that is called later can return a value that has left. */
    q->free_gap = now;
  } else if (q->ninside <= q->nremovals) {
    if (q->gaps.len && q->mark <= vec_last(&q->gaps).last)
      vec_last(&q->gaps).last = now;
    else
      vec_push(&q->gaps, ((struct queue_gaps){.first = now, .last = now}));
  }
}

static bool explains(const struct queue_gaps *g, const struct queue_miss *m) {
  return g->first < m->ret && g->last >= m->call;
}

static bool explains_some(const struct queue_watch *q,
                          const struct queue_gaps *g) {
  for (uint32_t i = 0; i < q->misses.len; i++)
    if (explains(g, &q->misses.at[i]))
      return true;
  return false;
}

/* The gaps stay good: the "empty" results that they explain need no others. */
static void free_gaps(struct queue_watch *q, const struct queue_gaps *g) {
  uint32_t n = 0;
  if (g->last > q->free_gap)
    q->free_gap = g->last;
  for (uint32_t i = 0; i < q->misses.len; i++)
    if (!explains(g, &q->misses.at[i]))
      q->misses.at[n++] = q->misses.at[i];
  q->misses.len = n;
}

/* Numbers that belong to a gap, counted on from one gap to the next. */
struct gap_slack {
  uint32_t inside, next; /* values inside that came before it; the next value */
  uint32_t called, removals; /* takers called before it; removals of these */
  uint32_t gone; /* removed values that came before it; without looks: all */
};

/* The call of the first open look, from the k-th taker on. */
static uint64_t first_look(const struct queue_watch *q, uint32_t k) {
  if (q->nremovals == q->takers.len)
    return WATCH_NEVER;
  while (k < q->takers.len && !q->takers.at[k].looks)
    k++;
  return k < q->takers.len ? q->takers.at[k].call : WATCH_NEVER;
}

static struct gap_slack no_slack(const struct queue_watch *q) {
  struct gap_slack s = {.next = q->first};
  if (q->nremovals == q->takers.len)
    s.gone = q->by_came.len;
  return s;
}

static void count_gaps(const struct queue_watch *q, struct gap_slack *s,
                       const struct queue_gaps *g) {
  while (s->next != WATCH_NONE && queue_at(q, s->next)->came <= g->last) {
    s->inside++;
    s->next = queue_at(q, s->next)->later;
  }
  for (; s->called < q->takers.len && q->takers.at[s->called].call <= g->last;
       s->called++)
    s->removals += !q->takers.at[s->called].looks;
  while (s->gone < q->by_came.len && q->by_came.at[s->gone].time <= g->last)
    s->gone++;
}

static bool have_same_future(const struct queue_gaps *a,
                             const struct queue_gaps *b) {
  return a->inside == b->inside && a->called == b->called && a->gone == b->gone;
}

/* The values of the cone of this level that came after the gap. */
static uint32_t came_behind(const struct queue_watch *q, uint32_t level,
                            uint64_t gap) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->seen.len; i++) {
    const struct queue_value *v = queue_at(q, q->seen.at[i]);
    n += v->level <= level && v->came > gap;
  }
  return n;
}

static bool is_good_at(const struct queue_watch *q, const struct gap_slack *s,
                       uint64_t gap, uint32_t level) {
  return (level < q->levels.len && q->levels.at[level] > gap) ||
         s->inside + came_behind(q, level, gap) <= level;
}

/* (Q4) at this gap.  Only levels at which a value enters the cone need a look.
 */
static bool is_good(const struct queue_watch *q, const struct gap_slack *s,
                    uint64_t gap) {
  if (!s->inside)
    return true;
  if (!is_good_at(q, s, gap, s->removals))
    return false;
  for (uint32_t i = 0; i < q->seen.len; i++) {
    uint32_t level = queue_at(q, q->seen.at[i])->level;
    if (level > s->removals && !is_good_at(q, s, gap, level))
      return false;
  }
  return true;
}

/* Whether a value that has left may turn out to have been inside at the gap: an
 * open look was called after the gap, and before the value left. */
static bool is_threatened(const struct queue_watch *q,
                          const struct gap_slack *s) {
  uint64_t look = first_look(q, s->called);
  if (look == WATCH_NEVER)
    return false;
  for (uint32_t k = s->gone; k-- > 0;) /* those that left last first */
    if (queue_at(q, q->by_came.at[k].id)->left > look)
      return true;
  return false;
}

static void renew(struct queue_watch *q, uint64_t from, uint64_t to) {
  struct gap_slack s = no_slack(q);
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->gaps.len; i++) {
    struct queue_gaps g = q->gaps.at[i];
    if (from <= g.last && g.last < to)
      continue;
    count_gaps(q, &s, &g);
    if (!s.inside && !is_threatened(q, &s)) {
      free_gaps(q, &g);
    } else if (is_good(q, &s, g.last)) {
      g.inside = s.inside;
      g.called = s.called;
      g.gone = s.gone;
      q->gaps.at[n++] = g;
    }
  }
  q->gaps.len = n;
}

/* Joins gaps that later events treat alike.  Gaps between them are bad, and
 * must have been dropped before.  Drops gaps that no "empty" result will need:
 * one that is still to come was called at or after the first open call, and has
 * free_gap if it has any gap before that. */
static void join(struct queue_watch *q) {
  uint64_t asked = queue_first_open(q);
  uint32_t n = 0;
  if (q->free_gap > asked)
    asked = q->free_gap;
  for (uint32_t i = 0; i < q->gaps.len; i++) {
    struct queue_gaps g = q->gaps.at[i];
    if (g.last < asked && !explains_some(q, &g))
      continue;
    if (n && have_same_future(&q->gaps.at[n - 1], &g))
      q->gaps.at[n - 1].last = g.last;
    else
      q->gaps.at[n++] = g;
  }
  q->gaps.len = n;
}

/* Whether every operation that returned "empty" still has a gap.  One that
 * begins with the same gaps as the one before has these and more: it is
 * forgotten. */
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

bool queue_renew_gaps(struct queue_watch *q, uint64_t from, uint64_t to) {
  if (!q->gaps.len)
    return !q->misses.len;
  renew(q, from, to);
  if (!renew_misses(q))
    return false;
  join(q);
  return true;
}

void queue_add_miss(struct queue_watch *q, struct queue_miss m) {
  if (m.call > q->free_gap &&
      (!q->misses.len || vec_last(&q->misses).call < m.call))
    vec_push(&q->misses, m);
}

/* The gaps of an operation that returned "empty": from *from to before the one
 * that is returned. */
static uint32_t gaps_of(const struct queue_watch *q, const struct queue_miss *m,
                        uint32_t *from) {
  uint32_t i = 0, to;
  while (i < q->gaps.len && q->gaps.at[i].last < m->call)
    i++;
  to = *from = i;
  while (to < q->gaps.len && explains(&q->gaps.at[to], m))
    to++;
  return to;
}

uint64_t queue_missed_before(const struct queue_watch *q, uint64_t next) {
  uint64_t latest = 0;
  for (uint32_t i = 0; i < q->misses.len; i++) {
    uint32_t from, to = gaps_of(q, &q->misses.at[i], &from);
    if (from < to && q->gaps.at[to - 1].last < next &&
        q->gaps.at[from].first >= latest)
      latest = q->gaps.at[from].first + 1;
  }
  return latest;
}

bool queue_needs_no_gap(const struct queue_watch *q, uint64_t came,
                        uint64_t call) {
  for (uint32_t i = 0; i < q->misses.len; i++) {
    uint32_t from, to = gaps_of(q, &q->misses.at[i], &from);
    bool asks = false;
    for (; from < to; from++) {
      const struct queue_gaps *g = &q->gaps.at[from];
      struct gap_slack s = {.called = g->called, .gone = g->gone};
      asks |= g->last < call;
      if (g->last < came && !is_threatened(q, &s))
        break; /* this gap stays good */
    }
    if (asks && from == to)
      return false;
  }
  return true;
}
