/* Moments, and the solutions of profiles that make no cycle of them. */
#include "atomicity/in_order.h"
#include "atomicity/tso_int.h"

#include <assert.h>
#include <string.h>

/* An operation of the trace, or the commit of a write. */
struct effect {
  uint32_t event;
  bool commit;
};

/* ---- the trace ---- */

static void find_sources(struct in_order *o) {
  const struct chains *c = o->c;
  size_t pairs = (size_t)c->nthreads * c->nobjects + 1;
  uint32_t *last = xcalloc(pairs, sizeof *last); /* write + 1 */
  for (uint32_t i = 0; i < c->n; i++) {
    const struct txn_event *e = &c->e[i];
    o->source[i] = c->n;
    if (!tso_access(e))
      continue;
    uint32_t *own = &last[(size_t)e->thread * c->nobjects + e->object];
    if (e->kind == TXN_WRITE)
      *own = i + 1;
    else if (c->buffered[i])
      o->source[i] = *own - 1;
  }
  free(last);
}

/* A thread that is joined has ended: its buffer is empty. */
static void find_deadlines(struct in_order *o) {
  const struct chains *c = o->c;
  uint32_t *join = xmalloc(((size_t)c->nthreads + 1) * sizeof *join);
  for (uint32_t t = 0; t < c->nthreads; t++)
    join[t] = c->n;
  for (uint32_t i = c->n; i-- > 0;) {
    const struct txn_event *e = &c->e[i];
    if (e->kind == TXN_JOIN)
      join[e->object] = i;
    o->deadline[i] =
        c->next_fence[i] < join[e->thread] ? c->next_fence[i] : join[e->thread];
  }
  free(join);
}

void in_order_init(struct in_order *o, const struct chains *c) {
  *o = (struct in_order){.c = c};
  o->source = xcalloc((size_t)c->n + 1, sizeof *o->source);
  o->deadline = xcalloc((size_t)c->n + 1, sizeof *o->deadline);
  find_sources(o);
  find_deadlines(o);
}

void in_order_free(struct in_order *o) {
  free(o->source);
  free(o->deadline);
}

/* ---- moments ---- */

/* x comes before y in all executions, or is it. */
static bool before(const struct in_order *o, struct effect x, struct effect y) {
  const struct txn_event *e = o->c->e;
  if (!x.commit)
    return x.event <= y.event;
  if (y.commit && e[x.event].thread == e[y.event].thread)
    return x.event <= y.event;
  return o->deadline[x.event] <= y.event;
}

/*
 * The moments of an event: the commit of a write, else the operation, and for a
 * buffered read the commit of its source as well.  The read takes effect at the
 * later one of its two.
 */
static uint32_t moments_of(const struct in_order *o, uint32_t event,
                           struct effect at[2]) {
  at[0] = (struct effect){event, o->c->e[event].kind == TXN_WRITE};
  if (o->source[event] == o->c->n)
    return 1;
  at[1] = (struct effect){o->source[event], true};
  return 2;
}

/*
 * An edge that ends in a comes before one that begins in b.  What comes before
 * a buffered read comes before one of its two moments, `which`; what it comes
 * before comes after both.
 */
static bool chained(const struct in_order *o, uint32_t a, uint32_t which,
                    uint32_t b) {
  struct effect x[2], y[2];
  uint32_t nx = moments_of(o, a, x), ny = moments_of(o, b, y);
  assert(which < nx);
  return before(o, x[which], y[0]) || (ny > 1 && before(o, x[which], y[1]));
}

bool in_order_swaps(const struct in_order *o, uint32_t a, uint32_t b) {
  struct effect at[2];
  uint32_t n = moments_of(o, a, at);
  bool swaps = !chained(o, a, 0, b) || (n > 1 && !chained(o, a, 1, b));
  assert(!swaps || !event_before(o->c, a, b)); /* O1 */
  return swaps;
}

/* ---- profiles ---- */

/* The edge into ai does not come before the one out of bj. */
struct apart {
  uint32_t i, j;
};

struct in_order_search {
  const struct in_order *o;
  struct profile *p;
  uint32_t n;           /* segments */
  uint32_t nedges;      /* n, or n - 1 before the profile is closed */
  const uint8_t *which; /* by segment: moment of its a */
  VEC(struct apart) apart;
};

static struct profile_range *range_a(const struct in_order_search *s,
                                     uint32_t i) {
  return &s->p->at.at[2 * i];
}
static uint32_t event_a(const struct in_order_search *s, uint32_t i) {
  return range_event(s->p->c, range_a(s, i), range_a(s, i)->from);
}
static uint32_t event_b(const struct in_order_search *s, uint32_t j) {
  const struct profile_range *b = &s->p->at.at[2 * j + 1];
  return range_event(s->p->c, b, b->from);
}

/* Raises ai to the first event that keeps it apart from the first bj, and so
 * from all.  False: there is none. */
static bool raise_a(struct in_order_search *s, struct apart k) {
  struct profile_range *a = range_a(s, k.i);
  uint32_t b = event_b(s, k.j), from = a->from, to = a->to;
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (chained(s->o, range_event(s->p->c, a, mid), s->which[k.i], b))
      from = mid + 1;
    else
      to = mid;
  }
  a->from = from;
  return from < a->to;
}

static bool settle(struct in_order_search *s) {
  for (bool again = true; again;) {
    again = false;
    if (!profile_solve(s->p))
      return false;
    for (uint32_t k = 0; k < s->apart.len; k++) {
      struct apart *x = &s->apart.at[k];
      s->p->steps++;
      if (!chained(s->o, event_a(s, x->i), s->which[x->i], event_b(s, x->j)))
        continue;
      if (!raise_a(s, *x))
        return false;
      again = true;
    }
  }
  return true;
}

/* A cycle of segments i, j + 1, … in which each pair is chained, with the
 * fewest pairs; 0: there is none. */
static uint32_t find_cycle(struct in_order_search *s, struct apart *out) {
  uint32_t n = s->n, best = 0;
  uint32_t *queue = xmalloc((3 * (size_t)n + 1) * sizeof *queue);
  uint32_t *from = queue + n, *far = from + n;
  for (uint32_t start = 0; start < n; start++) {
    uint32_t head = 0, tail = 0, last = n;
    memset(far, 0, n * sizeof *far);
    queue[tail++] = start;
    while (head < tail && last == n) {
      uint32_t i = queue[head++];
      for (uint32_t j = 0; j < s->nedges && last == n; j++) {
        uint32_t next = (j + 1) % n;
        s->p->steps++;
        if ((far[next] && next != start) ||
            !chained(s->o, event_a(s, i), s->which[i], event_b(s, j)))
          continue;
        if (next == start) {
          last = i;
        } else {
          far[next] = far[i] + 1;
          from[next] = i;
          queue[tail++] = next;
        }
      }
    }
    if (last == n || (best && far[last] + 1 >= best))
      continue;
    best = far[last] + 1;
    uint32_t to = start;
    for (uint32_t k = best; k-- > 0; last = from[last]) {
      out[k] = (struct apart){last, (to + n - 1) % n};
      to = last;
    }
  }
  free(queue);
  return best;
}

/* One pair of the cycle must come apart: each is tried. */
static bool solve_apart(struct in_order_search *s) {
  struct profile_range *saved;
  struct apart *cycle;
  uint32_t len = s->p->at.len, pairs;
  bool found = false;
  if (!settle(s))
    return false;
  cycle = xmalloc(((size_t)s->n + 1) * sizeof *cycle);
  pairs = find_cycle(s, cycle);
  saved = xmalloc((len + 1) * sizeof *saved);
  memcpy(saved, s->p->at.at, len * sizeof *saved);
  for (uint32_t k = 0; k < pairs && !found; k++) {
    memcpy(s->p->at.at, saved, len * sizeof *saved);
    vec_push(&s->apart, cycle[k]);
    found = solve_apart(s);
    s->apart.len--;
  }
  free(saved);
  free(cycle);
  return found || !pairs;
}

/* The next choice of moments of buffered reads; false: it was the last. */
static bool next_choice(const struct in_order_search *s, uint8_t *which) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->o->source[event_a(s, i)] == s->o->c->n)
      continue;
    which[i] = !which[i];
    if (which[i])
      return true;
  }
  return false;
}

bool in_order_solves(const struct in_order *o, struct profile *p) {
  uint32_t len = p->at.len, n = len / 2;
  struct in_order_search s = {
      .o = o, .p = p, .n = n, .nedges = p->closed ? n : n - 1};
  struct profile_range *saved = xmalloc((len + 1) * sizeof *saved);
  uint8_t *which = xcalloc((size_t)s.n + 1, sizeof *which);
  bool found, more = true;
  assert(n && len == 2 * n);
  memcpy(saved, p->at.at, len * sizeof *saved);
  s.which = which;
  do {
    memcpy(p->at.at, saved, len * sizeof *saved);
    found = solve_apart(&s);
    if (!found) {
      memcpy(p->at.at, saved, len * sizeof *saved);
      more = next_choice(&s, which);
    }
  } while (!found && more);
  if (found) /* O2 */
    for (uint32_t i = 0; i < s.n; i++)
      assert(range_a(&s, i)->from < range_a(&s, i)->to);
  vec_free(&s.apart);
  free(which);
  free(saved);
  return found;
}
