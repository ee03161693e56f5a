/* Which removed values of a box are forgotten: watch_box_int.h says why. */
#include "history/stream/watch_box_int.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_SHUT = 32, FEW_ASKED = 8 };

/* ---- operations that have a gap, whatever comes later ---- */

/* How far each removed value may turn out to cover: up to the call of the last
 * open look that may return it. */
static void find_reach(struct box_watch *b) {
  uint64_t *calls = xmalloc((b->takers.len + 1ull) * sizeof *calls);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->takers.len; i++)
    if (b->takers.at[i].looks)
      calls[n++] = b->takers.at[i].call;
  for (uint32_t i = 0; i < b->gone.len; i++) {
    struct box_value *v = box_at(b, b->gone.at[i]);
    uint32_t k = n;
    while (k && calls[k - 1] >= v->left)
      k--;
    v->reach = k && calls[k - 1] > v->last ? calls[k - 1] : v->last;
  }
  free(calls);
}

/* Whether a removed value better than `rank` (NONE: any) may cover the gap, or
 * the gap is shut.  *from: the first gap that is covered so. */
static bool gone_at(const struct box_watch *b, datum rank, uint64_t gap,
                    uint64_t *from) {
  for (uint32_t i = 0; i < b->gone.len; i++) {
    const struct box_value *v = box_at(b, b->gone.at[i]);
    if (v->came <= gap && gap < v->reach &&
        (rank == DATUM_NONE || box_better(b, v->rank, rank))) {
      *from = v->came;
      return true;
    }
  }
  const struct box_span *s = box_shut_at(b, gap);
  if (s)
    *from = s->from;
  return s;
}

/* Whether some gap from `from` to before `to` is not covered by removed values
 * better than `rank`. */
static bool has_gap(const struct box_watch *b, datum rank, uint64_t from,
                    uint64_t to) {
  uint64_t since;
  for (uint64_t gap = to; gap > from; gap = since)
    if (!gone_at(b, rank, gap - 1, &since))
      return true;
  return false;
}

static uint64_t sooner(uint64_t x, uint64_t y) { return x < y ? x : y; }
static uint64_t later(uint64_t x, uint64_t y) { return x > y ? x : y; }

/* When the first value inside that is better than `rank` (NONE: any) came. */
static uint64_t first_better(const struct box_watch *b, datum rank) {
  uint64_t first = WATCH_NEVER;
  if (b->stack && b->inside.len)
    return box_at(b, b->inside.at[0])->came;
  for (uint32_t i = b->inside.len; i-- > 0;) {
    const struct box_value *v = box_at(b, b->inside.at[i]);
    if (rank != DATUM_NONE && !box_better(b, v->rank, rank))
      break;
    first = sooner(first, v->came);
  }
  return first;
}

static uint64_t first_better_after(const struct box_watch *b, datum rank,
                                   uint64_t time) {
  uint64_t first = WATCH_NEVER;
  for (uint32_t i = b->inside.len; i-- > 0;) {
    const struct box_value *v = box_at(b, b->inside.at[i]);
    if (b->stack ? v->came <= time
                 : rank != DATUM_NONE && !box_better(b, v->rank, rank))
      break;
    if (v->came > time)
      first = sooner(first, v->came);
  }
  return first;
}

/* When the first value inside that may be above it came. */
static uint64_t first_above(const struct box_watch *b, uint32_t id) {
  uint64_t first = WATCH_NEVER;
  for (uint32_t i = b->inside.len; i-- > 0;) {
    const struct box_value *x = box_at(b, b->inside.at[i]);
    if (x->came <= box_at(b, id)->call)
      break;
    if (b->inside.at[i] != id)
      first = x->came;
  }
  return first;
}

/* Whether a look has a gap if an earlier look at the same value has one: see
 * struct box_asked. */
static bool look_follows(const struct box_watch *b, const struct box_value *v,
                         const struct box_look *l, uint32_t n) {
  uint64_t to = sooner(l->ret, v->left);
  for (uint32_t i = 0; i < n; i++) {
    const struct box_look *o = &v->looks.at[i];
    uint64_t first = later(o->call, v->call);
    if (!o->settled && o->ret <= to &&
        (l->call <= o->call ||
         has_gap(b, v->rank, later(l->call, o->ret - 1),
                 sooner(to, first_better_after(b, v->rank, first)))))
      return true;
  }
  return false;
}

/*
 * Marks looks that have a gap, whatever comes later.  In a stack that is a gap
 * at which all values inside came before this one was put: if they left after
 * this one came, they are below it.
 */
static void settle_looks(struct box_watch *b, uint32_t id) {
  struct box_value *v = box_at(b, id);
  uint64_t before = b->stack ? first_above(b, id) : first_better(b, v->rank);
  uint64_t since = v->call;
  uint32_t n = 0;
  if (b->stack && box_first_removal(b) < v->came)
    since = v->came;
  for (uint32_t i = 0; i < v->looks.len; i++) {
    struct box_look l = v->looks.at[i];
    uint64_t to = sooner(sooner(l.ret, v->left), before);
    if (!l.settled)
      l.settled = has_gap(b, v->rank, later(l.call, since), to) ||
                  look_follows(b, v, &l, n);
    /* Two looks stay for its past: they show when it came, and its last call.
     */
    if (!l.settled || l.call == v->last || l.ret == v->came)
      v->looks.at[n++] = l;
  }
  v->looks.len = n;
}

/* Drops "empty" results, from the one at `from` on, that have such a gap. */
static void settle_misses(struct box_watch *b, uint32_t from) {
  uint32_t n = from;
  if (from == b->misses.len)
    return;
  uint64_t first = first_better(b, DATUM_NONE);
  for (uint32_t i = from; i < b->misses.len; i++) {
    struct box_miss m = b->misses.at[i];
    if (!has_gap(b, DATUM_NONE, m.call, sooner(m.ret, first)))
      b->misses.at[n++] = m;
  }
  b->misses.len = n;
}

static void settle_removals(struct box_watch *b, uint32_t from) {
  for (uint32_t i = from; i < b->gone.len; i++) {
    struct box_value *v = box_at(b, b->gone.at[i]);
    if (!box_has_needs(v))
      continue;
    settle_looks(b, b->gone.at[i]);
    if (!v->settled)
      v->settled = has_gap(b, v->rank, v->reach,
                           sooner(v->left, first_better(b, v->rank)));
  }
}

/*
 * A need n follows from a need n' of a value that is no better, if n has a gap
 * g, not before the last gap of n', such that no better value inside came
 * between the first gap of n' and g.  Then every value that must be gone at g
 * must be gone at each gap of n': if n' has a gap, n has one.  So n is not
 * asked about any more.
 *   put(1)  a: peek() = empty  b: peek() = empty      b follows from a
 */
struct box_asked {
  datum rank;     /* DATUM_NONE: it returned "empty" */
  uint64_t first; /* its first gap */
  uint64_t from;  /* its first gap, if open looks return all that they may */
  uint64_t to;
};
typedef VEC(struct box_asked) asked_vec;

static bool is_no_better(const struct box_watch *b, datum x, datum y) {
  return x == DATUM_NONE || (y != DATUM_NONE && !box_better(b, x, y));
}

/* It also follows if each gap of n' is a gap of n. */
static bool follows_from(const struct box_watch *b, const struct box_asked *n,
                         const struct box_asked *o) {
  if (o->to > n->to || !is_no_better(b, o->rank, n->rank))
    return false;
  return n->from <= o->first ||
         has_gap(b, n->rank, later(n->from, o->to - 1),
                 sooner(n->to, first_better_after(b, n->rank, o->first)));
}

/* Whether n follows from one of `all`; if not, n becomes one of them. */
static bool follows(const struct box_watch *b, struct box_asked n,
                    asked_vec *all) {
  for (uint32_t i = all->len; i-- > 0;)
    if (follows_from(b, &n, &all->at[i]))
      return true;
  vec_push(all, n);
  return false;
}

static void drop_looks(struct box_watch *b, struct box_value *v,
                       asked_vec *all) {
  for (uint32_t i = 0; i < v->looks.len; i++) {
    struct box_look *l = &v->looks.at[i];
    uint64_t from = later(l->call, v->call), to = sooner(l->ret, v->left);
    if (!l->settled)
      l->settled = follows(b, (struct box_asked){v->rank, from, from, to}, all);
  }
}

static void drop_followers(struct box_watch *b) {
  asked_vec all = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->misses.len; i++) {
    struct box_miss m = b->misses.at[i];
    if (!follows(b, (struct box_asked){DATUM_NONE, m.call, m.call, m.ret},
                 &all))
      b->misses.at[n++] = m;
  }
  b->misses.len = n;
  for (uint32_t i = 0; i < b->gone.len && !b->stack; i++) {
    struct box_value *v = box_at(b, b->gone.at[i]);
    drop_looks(b, v, &all);
    if (!v->settled)
      v->settled = follows(
          b, (struct box_asked){v->rank, v->last, v->reach, v->left}, &all);
  }
  for (uint32_t i = 0; i < b->lookers.len && !b->stack; i++)
    drop_looks(b, box_at(b, b->lookers.at[i]), &all);
  vec_free(&all);
}

/* A value that stays inside is examined less and less often. */
static void settle_inside(struct box_watch *b, uint32_t id) {
  struct box_value *v = box_at(b, id);
  uint64_t now = b->watch.now;
  if (now < v->again)
    return;
  settle_looks(b, id);
  v->looking = box_has_needs(v);
  v->again = now + (now - v->last) / 4;
}

void box_settle(struct box_watch *b) {
  uint32_t n = 0;
  if (b->watch.remembers)
    return;
  find_reach(b);
  for (uint32_t i = 0; i < b->lookers.len; i++) {
    uint32_t id = b->lookers.at[i];
    settle_inside(b, id);
    if (box_at(b, id)->looking)
      b->lookers.at[n++] = id;
  }
  b->lookers.len = n;
  /* Only those of the last event are examined, until there are too many. */
  uint32_t misses = b->misses.len, gone = b->stack ? 0 : b->gone.len;
  bool all = misses + gone > b->settle_at || b->watch.hastens;
  settle_misses(b, all || !misses ? 0 : misses - 1);
  if (!b->stack)
    settle_removals(b, all || !gone ? 0 : gone - 1);
  if (!all)
    return;
  drop_followers(b);
  gone = 0;
  for (uint32_t i = 0; i < b->gone.len && !b->stack; i++)
    gone += box_has_needs(box_at(b, b->gone.at[i]));
  b->settle_at = b->misses.len + gone + gone / 2 + FEW_ASKED;
}

/* ---- removed values of a priority queue ---- */

static void let_go(struct box_watch *b, uint32_t id) {
  struct box_value *v = box_at(b, id);
  if (v->open && !v->crashed)
    v->over = true;
  else
    box_drop(b, id);
}

/* Whether an operation on the value needs one of these gaps. */
static bool has_need_in(const struct box_watch *b, const struct box_value *v,
                        uint64_t from, uint64_t to) {
  if (b->stack && v->call < to && v->came > from)
    return true;
  if (v->left != WATCH_NEVER && !v->settled && v->last < to && v->left > from)
    return true;
  for (uint32_t i = 0; i < v->looks.len; i++)
    if (!v->looks.at[i].settled && v->looks.at[i].call < to &&
        v->looks.at[i].ret > from)
      return true;
  return false;
}

/* Whether the value covers a gap of an operation that is not settled. */
static bool hinders(const struct box_watch *b, const struct box_value *u) {
  for (uint32_t i = 0; i < b->misses.len; i++)
    if (b->misses.at[i].call < u->last && b->misses.at[i].ret > u->came)
      return true;
  for (uint32_t i = 0; i < b->gone.len + b->lookers.len; i++) {
    uint32_t id =
        i < b->gone.len ? b->gone.at[i] : b->lookers.at[i - b->gone.len];
    const struct box_value *v = box_at(b, id);
    if (box_has_needs(v) && box_better(b, u->rank, v->rank) &&
        has_need_in(b, v, u->came, u->last))
      return true;
  }
  return false;
}

static void forget_pqueue(struct box_watch *b) {
  uint64_t oldest = WATCH_NEVER;
  uint32_t n = 0;
  for (uint32_t i = b->takers.len; i-- > 0;)
    if (!b->takers.at[i].crashed && !b->takers.at[i].lost)
      oldest = b->takers.at[i].call;
  for (uint32_t i = 0; i < b->gone.len; i++) {
    uint32_t id = b->gone.at[i];
    const struct box_value *v = box_at(b, id);
    bool stays = box_has_needs(v) || box_may_be_seen(b, v) ||
                 (v->came < v->last && (v->last > oldest || hinders(b, v)));
    if (stays)
      b->gone.at[n++] = id;
    else
      let_go(b, id);
  }
  b->gone.len = n;
}

/* ---- removed values of a stack ---- */

static uint64_t first_live(const struct box_watch *b) {
  for (uint32_t i = 0; i < b->takers.len; i++)
    if (!b->takers.at[i].looks && !b->takers.at[i].crashed)
      return b->takers.at[i].call;
  return WATCH_NEVER;
}

/* Whether a value that is inside, or has an open insertion, may have been above
 * u and left before u did.  A value of a crashed insertion that only a crashed
 * removal can have taken counts as not inserted. */
static bool may_be_above(const struct box_watch *b, const struct box_value *u,
                         uint64_t first) {
  if (first >= u->left)
    return false;
  uint64_t live = first_live(b);
  for (uint32_t i = 0; i < b->coming.len; i++) {
    const struct box_value *x = box_at(b, b->coming.at[i]);
    if (x->call < u->left && (!x->crashed || live < u->left))
      return true;
  }
  for (uint32_t i = b->inside.len; i-- > 0;) {
    const struct box_value *x = box_at(b, b->inside.at[i]);
    if (x->came <= u->call)
      break;
    if (x->call < u->left && x->last < u->left)
      return true;
  }
  return false;
}

static bool is_clear(const struct box_watch *b, const struct box_value *u,
                     const struct box_value *x) {
  return x->last >= u->left || x->came <= u->call ||
         !has_need_in(b, x, u->came, u->last);
}

static void shut_gaps(struct box_watch *b, uint64_t from, uint64_t to) {
  uint32_t lo = b->shut.len, hi;
  while (lo && b->shut.at[lo - 1].to >= from)
    lo--;
  for (hi = lo; hi < b->shut.len && b->shut.at[hi].from <= to; hi++) {
    from = sooner(from, b->shut.at[hi].from);
    to = later(to, b->shut.at[hi].to);
  }
  uint32_t rest = b->shut.len - hi;
  vec_reserve(&b->shut, b->shut.len + 1);
  if (rest)
    memmove(b->shut.at + lo + 1, b->shut.at + hi, rest * sizeof *b->shut.at);
  b->shut.at[lo] = (struct box_span){from, to};
  b->shut.len = lo + 1 + rest;
}

typedef VEC(uint64_t) times;

static int by_time(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* The times at which the value comes, or an operation on it ends. */
static void add_ends(const struct box_value *v, times *out) {
  vec_push(out, v->came);
  if (v->left != WATCH_NEVER)
    vec_push(out, v->left);
  for (uint32_t i = 0; i < v->looks.len; i++)
    vec_push(out, v->looks.at[i].ret);
}

/* Joins shut spans between which no value comes and no operation ends: no need
 * can tell the gaps between them from the last one. */
static void join_shut(struct box_watch *b) {
  times ends = {0};
  uint32_t n = 0, k = 0;
  for (uint32_t i = 0; i < b->inside.len; i++)
    add_ends(box_at(b, b->inside.at[i]), &ends);
  for (uint32_t i = 0; i < b->gone.len; i++)
    add_ends(box_at(b, b->gone.at[i]), &ends);
  for (uint32_t i = 0; i < b->misses.len; i++)
    vec_push(&ends, b->misses.at[i].ret);
  if (ends.len)
    qsort(ends.at, ends.len, sizeof *ends.at, by_time);
  for (uint32_t i = 0; i < b->shut.len; i++) {
    struct box_span s = b->shut.at[i];
    while (n && k < ends.len && ends.at[k] <= b->shut.at[n - 1].to)
      k++;
    if (n && (k == ends.len || ends.at[k] > s.to))
      b->shut.at[n - 1].to = s.to;
    else
      b->shut.at[n++] = s;
  }
  b->shut.len = n;
  b->prune_at = 2 * n + FEW_SHUT;
  vec_free(&ends);
}

/* Reduces `some` to the largest set that can be forgotten together; returns how
 * many they are. */
static uint32_t close_set(const struct box_watch *b, uint32_t *some, uint32_t n,
                          uint8_t *goes) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < n; i++) {
      const struct box_value *u = box_at(b, some[i]);
      bool can = true;
      for (uint32_t k = 0; k < b->gone.len && can; k++)
        can = goes[k] || is_clear(b, u, box_at(b, b->gone.at[k]));
      if (can)
        continue;
      for (uint32_t k = 0; k < b->gone.len; k++)
        if (b->gone.at[k] == some[i])
          goes[k] = 0;
      some[i--] = some[--n];
      more = true;
    }
  }
  return n;
}

static void forget_stack(struct box_watch *b) {
  if (b->gone.len <= b->forget_at && !b->watch.hastens)
    return;
  uint32_t *some = xmalloc(b->gone.len * sizeof *some), n = 0, kept = 0;
  uint8_t *goes = xcalloc(b->gone.len, 1);
  uint64_t first = box_first_removal(b);
  for (uint32_t i = 0; i < b->gone.len; i++) {
    const struct box_value *u = box_at(b, b->gone.at[i]);
    goes[i] = !box_may_be_seen(b, u) &&
              (u->came >= u->last || !may_be_above(b, u, first));
    if (goes[i])
      some[n++] = b->gone.at[i];
  }
  n = close_set(b, some, n, goes);
  for (uint32_t i = 0; i < b->gone.len; i++) {
    uint32_t id = b->gone.at[i];
    const struct box_value *u = box_at(b, id);
    if (!goes[i]) {
      b->gone.at[kept++] = id;
      continue;
    }
    if (u->came < u->last)
      shut_gaps(b, u->came, u->last);
    let_go(b, id);
  }
  b->gone.len = kept;
  b->forget_at = kept + kept / 4;
  free(some);
  free(goes);
  if (b->shut.len > b->prune_at)
    join_shut(b);
}

void box_forget(struct box_watch *b) {
  if (b->watch.remembers)
    return;
  if (b->stack)
    forget_stack(b);
  else
    forget_pqueue(b);
}
