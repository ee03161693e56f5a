/*
 * box_decide: do (B1) to (B3) of watch_box_int.h hold for some deadlines?  The
 * question consists of parts, values that cover gaps, and of needs, operations
 * that need a gap.  A search sets deadlines until every need has a gap:
 *
 *   put(1)  put(2)  a: remove()…  remove() = 1
 *   the need of `remove() = 1` has no gap: 2 covers all; deadline of 2: that
 * gap
 */
#include "history/stream/watch_box_int.h"

#include <stdlib.h>

enum { MOST_NODES = 20000, FEW_NODES = 4 };

struct box_part_value { /* a value of the question */
  uint32_t id;
  uint64_t from, to; /* the gaps that it covers */
  bool soft;         /* inside: an open removal may have taken it */
  bool out;          /* stack: taken out (B1) */
};

struct box_need { /* an operation that needs one of these gaps */
  uint64_t from, to;
  uint32_t part; /* its value in `parts`; WATCH_NONE: it returned "empty" */
  bool own;      /* the open removal that is assumed to have taken the value */
};

struct box_way { /* a way on: these values must be gone by this gap */
  uint64_t by;
  uint32_t first, n; /* in `ids` */
};

struct box_question {
  struct box_watch *b;
  VEC(struct box_part_value) parts;
  VEC(struct box_need) needs; /* those of a part stand together */
  VEC(uint64_t) calls;        /* of open removals */
  VEC(struct box_span) near;  /* has_gap: what may hinder the need */
  uint32_t nodes, most;       /* deadlines tried, and how many may be */
  bool tired;                 /* these were not enough */
};

struct box_ways {
  VEC(struct box_way) at;
  VEC(uint32_t) ids;
};

/* ---- gaps ---- */

const struct box_span *box_shut_at(const struct box_watch *b, uint64_t gap) {
  uint32_t lo = 0, hi = b->shut.len;
  while (lo < hi) { /* the first span that ends after the gap */
    uint32_t mid = lo + (hi - lo) / 2;
    if (b->shut.at[mid].to > gap)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo < b->shut.len && b->shut.at[lo].from <= gap ? &b->shut.at[lo]
                                                        : NULL;
}

static uint64_t first_gap_not_shut(const struct box_watch *b, uint64_t gap) {
  const struct box_span *s = box_shut_at(b, gap);
  return s ? s->to : gap;
}

static bool hinders(const struct box_question *q,
                    const struct box_part_value *p, const struct box_need *n) {
  const struct box_watch *b = q->b;
  if (n->part == WATCH_NONE)
    return true;
  const struct box_part_value *own = &q->parts.at[n->part];
  if (b->stack)
    return p != own && !p->out;
  return box_better(b, box_at(b, p->id)->rank, box_at(b, own->id)->rank);
}

/* Whether the need has a gap.  Goes back from its last gap over all that
 * hinders it there. */
static bool has_gap(struct box_question *q, const struct box_need *n) {
  vec_clear(&q->near);
  for (uint32_t i = 0; i < q->parts.len; i++) {
    const struct box_part_value *p = &q->parts.at[i];
    if (p->from < n->to && n->from < p->to && hinders(q, p, n))
      vec_push(&q->near, ((struct box_span){p->from, p->to}));
  }
  uint64_t gap = n->to;
  for (bool more = true; more && gap > n->from;) {
    const struct box_span *s = box_shut_at(q->b, gap - 1);
    more = s;
    if (s)
      gap = s->from;
    for (uint32_t i = 0; i < q->near.len; i++) {
      const struct box_span *c = &q->near.at[i];
      if (c->from < gap && gap <= c->to) {
        gap = c->from;
        more = true;
      }
    }
  }
  return gap > n->from;
}

/* ---- which removal takes which value ---- */

static int by_deadline(const void *x, const void *y, void *with) {
  const struct box_value *a = box_at(with, *(const uint32_t *)x);
  const struct box_value *b = box_at(with, *(const uint32_t *)y);
  if (a->by != b->by)
    return a->by < b->by ? -1 : 1;
  return a->call < b->call ? -1 : a->call > b->call;
}

static struct box_part_value *part_of(const struct box_question *q,
                                      uint32_t id) {
  for (uint32_t i = 0; i < q->parts.len; i++)
    if (q->parts.at[i].id == id)
      return &q->parts.at[i];
  return NULL;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Gives the values with deadlines to the open removals, the earliest to the one
 * called first.  False: some value is not gone by its deadline. */
static bool assign(struct box_question *q) {
  struct box_watch *b = q->b;
  if (b->taken.len > q->calls.len)
    return false;
  if (b->taken.len > 1)
    qsort_r(b->taken.at, b->taken.len, sizeof *b->taken.at, by_deadline, b);
  for (uint32_t i = 0; i < q->parts.len; i++) {
    q->parts.at[i].out = false;
    if (q->parts.at[i].soft)
      q->parts.at[i].to = WATCH_NEVER;
  }
  for (uint32_t i = 0; i < b->taken.len; i++) {
    const struct box_value *v = box_at(b, b->taken.at[i]);
    uint64_t end = first_gap_not_shut(b, later(q->calls.at[i], v->last));
    if (end > v->by)
      return false;
    part_of(q, b->taken.at[i])->to = end;
  }
  return true;
}

/* ---- needs ---- */

static void add_need(struct box_question *q, uint32_t part, uint64_t from,
                     uint64_t to, bool own) {
  vec_push(&q->needs, ((struct box_need){from, to, part, own}));
}

static void add_needs(struct box_question *q, uint32_t part) {
  const struct box_watch *b = q->b;
  const struct box_part_value *p = &q->parts.at[part];
  const struct box_value *v = box_at(b, p->id);
  if (b->stack)
    add_need(q, part, v->call, v->came, false);
  for (uint32_t i = 0; i < v->looks.len; i++) {
    const struct box_look *l = &v->looks.at[i];
    if (!l->settled)
      add_need(q, part, later(l->call, v->call),
               l->ret < v->left ? l->ret : v->left, false);
  }
  if (v->left != WATCH_NEVER && !v->settled)
    add_need(q, part, v->last, v->left, false);
  if (b->stack && v->by != WATCH_NEVER)
    add_need(q, part, p->to, b->watch.now + 1, true);
}

static void collect_needs(struct box_question *q) {
  const struct box_watch *b = q->b;
  vec_clear(&q->needs);
  for (uint32_t i = 0; i < q->parts.len; i++)
    add_needs(q, i);
  for (uint32_t i = 0; i < b->misses.len; i++)
    add_need(q, WATCH_NONE, b->misses.at[i].call, b->misses.at[i].ret, false);
}

/* The first need of the value, from the i-th on, that has no gap; if all have
 * one, the first need of the next value. */
static uint32_t first_stuck(struct box_question *q, uint32_t i) {
  uint32_t part = q->needs.at[i].part;
  while (i < q->needs.len && q->needs.at[i].part == part &&
         has_gap(q, &q->needs.at[i]))
    i++;
  return i;
}

static uint32_t next_part(const struct box_question *q, uint32_t i) {
  uint32_t part = q->needs.at[i].part;
  while (i < q->needs.len && q->needs.at[i].part == part)
    i++;
  return i;
}

static bool is_miss(const struct box_question *q, uint32_t i) {
  return q->needs.at[i].part == WATCH_NONE;
}

/* (B1): takes out all values that can be.  Returns whether one is left. */
static bool take_out(struct box_question *q) {
  bool more = true, left = true;
  while (more && left) {
    more = left = false;
    for (uint32_t i = 0, next; i < q->needs.len && !is_miss(q, i); i = next) {
      next = next_part(q, i);
      struct box_part_value *p = &q->parts.at[q->needs.at[i].part];
      if (p->out)
        continue;
      p->out = first_stuck(q, i) == next;
      more |= p->out;
      left |= !p->out;
    }
  }
  return left;
}

/* ---- ways on ---- */

static void find_way(const struct box_question *q, const struct box_need *n,
                     uint64_t gap, struct box_ways *w) {
  struct box_way way = {gap, w->ids.len, 0};
  const struct box_watch *b = q->b;
  bool can = !box_shut_at(b, gap);
  for (uint32_t i = 0; i < q->parts.len && can; i++) {
    const struct box_part_value *p = &q->parts.at[i];
    if (p->from > gap || gap >= p->to || !hinders(q, p, n))
      continue;
    can = p->soft && box_at(b, p->id)->last <= gap;
    vec_push(&w->ids, p->id);
  }
  if (can && n->own && gap < q->parts.at[n->part].to)
    vec_push(&w->ids, q->parts.at[n->part].id);
  way.n = w->ids.len - way.first;
  if (can && way.n && way.n <= q->calls.len)
    vec_push(&w->at, way);
  else
    w->ids.len = way.first;
}

/* The gaps worth trying are the last ones before a value comes or a span is
 * shut: at such a gap no more values are in the way than at those before it. */
static void find_ways(const struct box_question *q, struct box_need n,
                      struct box_ways *w) {
  const struct box_watch *b = q->b;
  if (n.own) /* another removal may have taken it earlier */
    n.from = first_gap_not_shut(
        b, later(q->calls.at[0], box_at(b, q->parts.at[n.part].id)->last));
  for (uint32_t i = 0; i < q->parts.len; i++) {
    uint64_t from = q->parts.at[i].from;
    if (n.from < from && from < n.to)
      find_way(q, &n, from - 1, w);
  }
  for (uint32_t i = 0; i < b->shut.len; i++)
    if (n.from < b->shut.at[i].from && b->shut.at[i].from < n.to)
      find_way(q, &n, b->shut.at[i].from - 1, w);
  find_way(q, &n, n.to - 1, w);
}

/* Whether some need has no gap; then *w gets the ways on. */
static bool is_stuck(struct box_question *q, struct box_ways *w) {
  bool stack = q->b->stack;
  bool left = stack && take_out(q);
  for (uint32_t i = 0, next; i < q->needs.len; i = next) {
    bool miss = is_miss(q, i);
    next = miss ? i + 1 : next_part(q, i);
    if (left ? miss || q->parts.at[q->needs.at[i].part].out : stack && !miss)
      continue;
    uint32_t k = i;
    if (!miss)
      k = first_stuck(q, i);
    else if (has_gap(q, &q->needs.at[i]))
      continue;
    if (k < next) {
      find_ways(q, q->needs.at[k], w);
      if (!left)
        return true;
    }
  }
  return left;
}

static void set_deadline(struct box_watch *b, uint32_t id, uint64_t by) {
  struct box_value *v = box_at(b, id);
  if (v->by == WATCH_NEVER)
    vec_push(&b->taken, id);
  if (by < v->by)
    v->by = by;
}

static void forget_deadlines(struct box_watch *b) {
  for (uint32_t i = 0; i < b->taken.len; i++)
    box_at(b, b->taken.at[i])->by = WATCH_NEVER;
  vec_clear(&b->taken);
}

struct box_deadline {
  uint32_t id;
  uint64_t by;
};

static bool explain(struct box_question *q);

static bool try_way(struct box_question *q, const struct box_ways *w,
                    const struct box_way *way) {
  struct box_watch *b = q->b;
  uint32_t n = b->taken.len;
  struct box_deadline *old = xmalloc((n + 1ull) * sizeof *old);
  for (uint32_t i = 0; i < n; i++)
    old[i] =
        (struct box_deadline){b->taken.at[i], box_at(b, b->taken.at[i])->by};
  for (uint32_t i = 0; i < way->n; i++)
    set_deadline(b, w->ids.at[way->first + i], way->by);
  bool good = explain(q);
  if (!good) {
    forget_deadlines(b);
    for (uint32_t i = 0; i < n; i++)
      set_deadline(b, old[i].id, old[i].by);
  }
  free(old);
  return good;
}

static bool explain(struct box_question *q) {
  struct box_ways w = {0};
  if (++q->nodes > q->most)
    q->tired = true;
  if (q->tired || !assign(q))
    return false;
  collect_needs(q);
  bool good = !is_stuck(q, &w);
  for (uint32_t i = 0; i < w.at.len && !good && !q->tired; i++)
    good = try_way(q, &w, &w.at.at[i]);
  vec_free(&w.at);
  vec_free(&w.ids);
  return good;
}

/* ---- the question ---- */

static void add_part(struct box_question *q, uint32_t id) {
  const struct box_value *v = box_at(q->b, id);
  bool soft = v->left == WATCH_NEVER;
  vec_push(&q->parts,
           ((struct box_part_value){id, v->came, soft ? WATCH_NEVER : v->last,
                                    soft, false}));
}

/* Drops deadlines that no need asks for any more. */
static void drop_deadlines(struct box_watch *b, datum worst) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->taken.len; i++) {
    struct box_value *v = box_at(b, b->taken.at[i]);
    if (b->misses.len || (worst != DATUM_NONE && box_better(b, v->rank, worst)))
      b->taken.at[n++] = b->taken.at[i];
    else
      v->by = WATCH_NEVER;
  }
  b->taken.len = n;
}

static uint64_t last_look(const struct box_value *v) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < v->looks.len; i++)
    if (!v->looks.at[i].settled)
      last = later(last, v->looks.at[i].ret);
  return last;
}

/* A value that came before the lowest gap and was looked at after it is not
 * below: the lowest gap becomes that value's. */
static uint64_t lower(const struct box_watch *b, uint64_t lowest) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < b->lookers.len; i++) {
      const struct box_value *v = box_at(b, b->lookers.at[i]);
      if (v->came < lowest && last_look(v) > lowest) {
        lowest = v->came;
        more = true;
      }
    }
  }
  return lowest;
}

/*
 * The values of a stack that are asked about.  Values that came, and were
 * looked at, before all needs lie below: they were explained when they came,
 * and nothing has changed for them since.
 *   put(1) … put(1000)  put(a)  remove() = a      1 to 1000 are left out
 */
static void add_stack(struct box_question *q) {
  struct box_watch *b = q->b;
  uint64_t lowest = b->misses.len ? 0 : b->watch.now - 1, low;
  uint32_t from = b->inside.len;
  for (uint32_t i = 0; i < b->gone.len; i++) {
    const struct box_value *v = box_at(b, b->gone.at[i]);
    if (v->came >= v->last)
      continue; /* it covers nothing, and can be taken out last */
    lowest = v->came < lowest ? v->came : lowest;
    add_part(q, b->gone.at[i]);
  }
  low = lowest = lower(b, lowest);
  for (uint32_t i = 0; i < b->taken.len; i++) {
    const struct box_value *v = box_at(b, b->taken.at[i]);
    low = v->came < low ? v->came : low;
  }
  if (low < lowest) { /* deadlines of lower values may be obsolete */
    low = lower(b, low);
    forget_deadlines(b);
  }
  while (from && box_at(b, b->inside.at[from - 1])->came >= low)
    from--;
  for (; from < b->inside.len; from++)
    add_part(q, b->inside.at[from]);
}

static datum worse(const struct box_watch *b, datum x, datum y) {
  return x == DATUM_NONE || box_better(b, x, y) ? y : x;
}

/* (B2): the values of a priority queue that are asked about: those better than
 * the worst value that has a need. */
static void add_pqueue(struct box_question *q) {
  struct box_watch *b = q->b;
  datum worst = DATUM_NONE;
  for (uint32_t i = 0; i < b->gone.len; i++) {
    const struct box_value *v = box_at(b, b->gone.at[i]);
    add_part(q, b->gone.at[i]);
    if (box_has_needs(v))
      worst = worse(b, worst, v->rank);
  }
  for (uint32_t i = 0; i < b->lookers.len; i++) {
    add_part(q, b->lookers.at[i]);
    worst = worse(b, worst, box_at(b, b->lookers.at[i])->rank);
  }
  drop_deadlines(b, worst);
  for (uint32_t i = b->inside.len; i-- > 0;) {
    const struct box_value *v = box_at(b, b->inside.at[i]);
    if (!b->misses.len &&
        (worst == DATUM_NONE || !box_better(b, v->rank, worst)))
      break;
    if (!v->looking)
      add_part(q, b->inside.at[i]);
  }
}

enum watch_end box_decide(struct box_watch *b) {
  struct box_question q = {.b = b};
  for (uint32_t i = 0; i < b->takers.len; i++)
    if (!b->takers.at[i].looks)
      vec_push(&q.calls, b->takers.at[i].call);
  if (b->stack)
    add_stack(&q);
  else
    add_pqueue(&q);
  if (!q.parts.len && !b->misses.len) {
    vec_free(&q.calls);
    return WATCH_GOOD;
  }
  q.most = b->taken.len ? FEW_NODES : MOST_NODES;
  bool good = explain(&q);
  if (!good && q.most == FEW_NODES) {
    forget_deadlines(b);
    q.nodes = 0;
    q.tired = false;
    q.most = MOST_NODES;
    good = explain(&q);
  }
  vec_free(&q.parts);
  vec_free(&q.needs);
  vec_free(&q.near);
  vec_free(&q.calls);
  return good ? WATCH_GOOD : q.tired ? WATCH_TIRED : WATCH_BAD;
}
