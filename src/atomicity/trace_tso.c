/*
 * TSO-serializability of traces, after section 6.2 of the paper (see tso.h).
 *
 * A trace is not serializable if and only if undirected edges b1-a2, b2-a3, …,
 * bp-a1 can be directed this way without a cycle of events, and transactions go
 * round: tr(ai) comes before tr(bi), or is it, by directed edges ("ai leads to
 * bi").  Take such a sequence with the least p.
 *
 * (1) Then ai does not lead to bj for any i != j: the way from ai to bj would
 *     leave edges out and be a shorter sequence.
 * (2) By (1), the edges make a cycle of events if and only if every ai comes
 *     before its bi as an event.  So for one of them, say a1, that is not so:
 *     a1 leads to b1 by way of a transaction only (Proposition 3 i).
 * (3) By (1), all ai are in different chains, and so are all bi; so p is at
 *     most the number of chains (Proposition 5).
 * (4) No event of tr(ai) or tr(bi) is in conflict with one of tr(aj) or tr(bj)
 *     of another thread, but for neighbours (j = i + 1, or i = p and j = 1):
 *     whichever of the two comes first in the execution, a way from one
 *     segment to the other leaves edges out.
 *
 * So it is enough to look for a closed profile (profiles.h) that has a
 * solution: for p = 1 event by event, then in each knot (knots.h) by itself.
 * All profiles are tried, the shorter ones first; one that is not
 * closed is given up when it has no solution, or when no way back to a1 is left
 * that (1) allows for the events so far.  There are c^k profiles for k threads,
 * where c depends on the number of objects alone, and each is solved in at most
 * n steps of each of its events, mostly in a few: O(n c^k), where the paper has
 * O(n + c^k) for profiles without positions.
 *
 * Where the operations keep their order (in_order.h), a sequence must make no
 * cycle of moments besides.  (1) to (4) hold as well: a shorter sequence of
 * the same execution asks for no more.  So the same profiles are tried, and a closed one is a violation if
 * one of its solutions makes no such cycle.
 *
 * (5) Nothing else is exponential, and nothing is left out: the answer is exact
 *     unless the number of steps is limited.   tests/agree/atomicity_tso.c
 */
#include "atomicity/in_order.h"
#include "atomicity/knots.h"
#include "atomicity/profiles.h"
#include "atomicity/tso_int.h"

#include <assert.h>
#include <string.h>

#define NOTHING UINT32_MAX

/* ai leads to bi; bi has an undirected edge with the next a. */
struct tso_segment {
  uint32_t a, b;
};

/* Buckets of a1 and b1. */
struct root {
  uint32_t a, b;
  uint32_t least; /* segments that a closed profile has at least */
};

struct trace_search {
  struct chains c;
  struct profile p;
  struct rest_search rest;
  bool keep_order;
  struct in_order order; /* if it is kept */
  uint64_t most;   /* steps; 0: no limit */
  uint32_t limit;  /* segments of a profile */
  uint32_t beyond; /* the least number of segments that was beyond it */
  uint32_t *next_special;
  VEC(struct root) roots;
  struct tso_segment *path; /* of the solution */
  uint32_t npath;
};

static bool given_up(const struct trace_search *s) {
  return s->most && s->p.steps > s->most;
}

/* The profile as it was, to come back to. */
struct saved {
  struct profile_range *at;
  uint32_t n;
};

static struct saved save(const struct profile *p) {
  struct saved o = {xmalloc((p->at.len + 1) * sizeof *o.at), p->at.len};
  memcpy(o.at, p->at.at, o.n * sizeof *o.at);
  return o;
}
static void restore(struct profile *p, const struct saved *o) {
  memcpy(p->at.at, o->at, o->n * sizeof *o->at);
  p->at.len = o->n;
  p->closed = false;
}

/* ---- profiles ---- */

/* Whether the bucket's chain is that of another a (0), or b (1). */
static bool chain_used(const struct trace_search *s, uint32_t bucket,
                       uint32_t first) {
  for (uint32_t i = first; i < s->p.at.len; i += 2)
    if (s->c.buckets.at[s->p.at.at[i].bucket].chain ==
        s->c.buckets.at[bucket].chain)
      return true;
  return false;
}

static bool segments_meet(const struct trace_search *s, uint32_t bucket,
                          uint32_t segment) {
  const struct profile_range *at = &s->p.at.at[2 * segment];
  const struct chain_bucket *k = &s->c.buckets.at[bucket];
  return buckets_meet(k, &s->c.buckets.at[at[0].bucket]) ||
         buckets_meet(k, &s->c.buckets.at[at[1].bucket]);
}

/* (4), of a bucket that comes next.  The first segment is the last one's
 * neighbour: it is compared with one when another follows that. */
static bool has_chord(const struct trace_search *s, uint32_t bucket) {
  uint32_t now = s->p.at.len / 2;
  for (uint32_t i = 1; i + 1 < now; i++)
    if (segments_meet(s, bucket, i))
      return true;
  if (s->p.at.len % 2 || now < 3)
    return false;
  const struct profile_range *last = &s->p.at.at[2 * (now - 1)];
  return segments_meet(s, last[0].bucket, 0) ||
         segments_meet(s, last[1].bucket, 0);
}

static bool extend(struct trace_search *s);

/* Longer profiles keep the edges of this one: can it be kept in order? */
static bool fits_order(struct trace_search *s) {
  return !s->keep_order || in_order_solves(&s->order, &s->p);
}

/* The profile ends with a b: whether it, or a longer one, can be closed. */
static bool with_segment(struct trace_search *s) {
  struct saved before = save(&s->p);
  bool found = profile_close(&s->p) && fits_order(s);
  if (!found)
    restore(&s->p, &before);
  if (!found && fits_order(s)) {
    restore(&s->p, &before);
    uint32_t rest = profile_rest(&s->p, &s->rest);
    uint32_t need = rest == NOTHING ? NOTHING : s->p.at.len / 2 + rest;
    if (need != NOTHING && need > s->limit)
      s->beyond = need < s->beyond ? need : s->beyond;
    else if (need != NOTHING)
      found = extend(s);
  }
  free(before.at);
  return found;
}

/* The profile ends with an a. */
static bool with_a(struct trace_search *s) {
  struct saved before = save(&s->p);
  const struct profile_range *a = &vec_last(&s->p.at);
  const uint32_t *row =
      s->c.txn_row +
      (size_t)s->c.e[range_event(&s->c, a, a->from)].txn * s->c.nchains;
  bool found = false;
  for (uint32_t k = 0; k < s->c.buckets.len && !found && !given_up(s); k++) {
    if (row[s->c.buckets.at[k].chain] == NOTHING || chain_used(s, k, 1) ||
        has_chord(s, k))
      continue;
    found = profile_add(&s->p, k) && with_segment(s);
    if (!found)
      restore(&s->p, &before);
  }
  free(before.at);
  return found;
}

static bool extend(struct trace_search *s) {
  struct saved before = save(&s->p);
  const struct chain_bucket *b = &s->c.buckets.at[vec_last(&s->p.at).bucket];
  const struct on_object *on = &s->c.on[b->object];
  bool found = false;
  for (uint32_t i = 0; i < on->buckets.len && !found && !given_up(s); i++) {
    uint32_t k = on->buckets.at[i];
    if (!buckets_meet(b, &s->c.buckets.at[k]) || chain_used(s, k, 0) ||
        has_chord(s, k))
      continue;
    found = profile_add(&s->p, k) && with_a(s);
    if (!found)
      restore(&s->p, &before);
  }
  free(before.at);
  return found;
}

/* ---- the first segment ---- */

/* From which position of bucket a on an event leads to the chain otherwise than
 * as an event (2); false: none. */
static bool find_special(struct trace_search *s, uint32_t a, uint32_t chain) {
  const struct chains *c = &s->c;
  const struct chain_bucket *k = &c->buckets.at[a];
  uint32_t next = k->events.len;
  for (uint32_t i = k->events.len; i-- > 0;) {
    uint32_t e = k->events.at[i];
    if (c->txn_row[(size_t)c->e[e].txn * c->nchains + chain] <
        c->event_row[(size_t)e * c->nchains + chain])
      next = i;
    s->next_special[i] = next;
  }
  return next < k->events.len;
}

/* A profile of one segment; false: no solution. */
static bool begin_root(struct trace_search *s, uint32_t a, uint32_t b) {
  vec_clear(&s->p.at);
  s->p.closed = false;
  return profile_add(&s->p, a) && profile_add(&s->p, b);
}

/* Those with a solution and a way back; true: one can be closed at once. */
static bool find_roots(struct trace_search *s) {
  const struct chains *c = &s->c;
  for (uint32_t a = 0; a < c->buckets.len; a++)
    for (uint32_t chain = 0; chain < c->nchains; chain++) {
      const struct on_object *of = &s->rest.of_chain[chain];
      if (!of->buckets.len || !find_special(s, a, chain))
        continue;
      for (uint32_t i = 0; i < of->buckets.len && !given_up(s); i++) {
        uint32_t b = of->buckets.at[i];
        s->beyond = NOTHING;
        if (begin_root(s, a, b) && with_segment(s))
          return true;
        if (s->beyond != NOTHING)
          vec_push(&s->roots, ((struct root){a, b, s->beyond}));
      }
    }
  return false;
}

/* Shorter profiles first: a violation that is short is found soon, and shown.
 */
static bool find_profile(struct trace_search *s) {
  s->limit = 1;
  if (find_roots(s))
    return true;
  while (!given_up(s)) {
    s->limit = NOTHING;
    for (uint32_t i = 0; i < s->roots.len; i++)
      s->limit =
          s->roots.at[i].least < s->limit ? s->roots.at[i].least : s->limit;
    if (s->limit == NOTHING)
      return false;
    for (uint32_t i = 0; i < s->roots.len; i++) {
      struct root *r = &s->roots.at[i];
      if (r->least > s->limit)
        continue;
      s->beyond = NOTHING;
      find_special(s, r->a, s->c.buckets.at[r->b].chain);
      if (begin_root(s, r->a, r->b) && with_segment(s))
        return true;
      r->least = s->beyond;
    }
  }
  return false;
}

/* The first solution. */
static void take_solution(struct trace_search *s) {
  s->npath = s->p.at.len / 2;
  s->path = xmalloc((s->npath + 1) * sizeof *s->path);
  for (uint32_t i = 0; i < s->npath; i++) {
    const struct profile_range *a = &s->p.at.at[2 * i], *b = a + 1;
    s->path[i] = (struct tso_segment){range_event(&s->c, a, a->from),
                                      range_event(&s->c, b, b->from)};
    assert(txn_before(&s->c, s->path[i].a, s->path[i].b)); /* LEAD */
  }
  assert(!event_before(&s->c, s->path[0].a, s->path[0].b)); /* NO_EVENT */
}

/* ---- the answer ---- */

/* Directed edges from one transaction to another, breadth first. */
static void add_directed(const struct trace_search *s, uint32_t from,
                         uint32_t to, struct conflict_cycle *cycle) {
  const struct chains *c = &s->c;
  uint32_t start = c->e[from].txn, goal = c->e[to].txn;
  if (start == goal)
    return;
  uint32_t *by = xmalloc(((size_t)c->ntxns + 1) * sizeof *by);
  memset(by, 0xff, c->ntxns * sizeof *by);
  /* Few rounds: a way has few transactions, and only one is looked for. */
  for (bool more = true; more && by[goal] == NOTHING;) {
    more = false;
    for (uint32_t k = 0; k < c->edges.edges.len; k++) {
      uint32_t v = c->e[c->edges.edges.at[k].from].txn;
      uint32_t w = c->e[c->edges.edges.at[k].to].txn;
      if ((v == start || by[v] != NOTHING) && w != start && by[w] == NOTHING) {
        by[w] = k;
        more = true;
      }
    }
  }
  uint32_t first = cycle->edges.len;
  for (uint32_t v = goal; v != start;) {
    struct txn_edge e = c->edges.edges.at[by[v]];
    vec_push(&cycle->edges, e);
    v = c->e[e.from].txn;
  }
  for (uint32_t i = first, j = cycle->edges.len - 1; i < j; i++, j--) {
    struct txn_edge swap = cycle->edges.at[i];
    cycle->edges.at[i] = cycle->edges.at[j];
    cycle->edges.at[j] = swap;
  }
  free(by);
}

static void put_cycle(const struct trace_search *s,
                      struct conflict_cycle *cycle) {
  *cycle = (struct conflict_cycle){0};
  for (uint32_t i = 0; i < s->npath; i++) {
    add_directed(s, s->path[i].a, s->path[i].b, cycle);
    vec_push(&cycle->edges,
             ((struct txn_edge){s->path[i].b, s->path[(i + 1) % s->npath].a}));
  }
}

/* ---- the whole ---- */

/* Accesses that have an undirected edge; false: a sequence of one segment,
 * b1-a1 with a1 leading to b1 otherwise than as an event, which is the path
 * then. */
static bool find_loose(struct trace_search *s, uint32_t *loose, uint32_t *n) {
  const struct chains *c = &s->c;
  for (uint32_t a = 0; a < c->n; a++) {
    if (!tso_access(&c->e[a]))
      continue;
    const struct on_object *on = &c->on[c->e[a].object];
    bool some = false;
    for (uint32_t i = 0; i < on->buckets.len; i++) {
      const struct chain_bucket *k = &c->buckets.at[on->buckets.at[i]];
      uint32_t from, to;
      event_chains_window(c, a, k, &from, &to);
      some = some || from < to;
      uint32_t led = c->txn_row[(size_t)c->e[a].txn * c->nchains + k->chain];
      if (led == NOTHING || from >= to)
        continue;
      led = bucket_from(c, k, led);
      led = led < from ? from : led;
      if (led < to && !event_before(c, a, k->events.at[led]) &&
          (!s->keep_order || in_order_swaps(&s->order, a, k->events.at[led]))) {
        s->path = xmalloc(sizeof *s->path);
        s->path[s->npath++] = (struct tso_segment){a, k->events.at[led]};
        return false;
      }
    }
    if (some)
      loose[(*n)++] = a;
  }
  return true;
}

static bool search_knot(struct trace_search *s, const uint32_t *events,
                        uint32_t n) {
  event_chains_restrict(&s->c, events, n);
  event_chains_dense(&s->c);
  vec_clear(&s->roots);
  rest_init(&s->rest, &s->c);
  bool found = find_profile(s);
  if (found)
    take_solution(s);
  rest_free(&s->rest, &s->c);
  return found;
}

/* Whether there is a violation, which is the path then. */
static bool search_trace(struct trace_search *s) {
  uint32_t *loose = xmalloc(((size_t)s->c.n + 1) * sizeof *loose), n = 0;
  bool found = !find_loose(s, loose, &n);
  if (!found) {
    struct knots k;
    event_chains_restrict(&s->c, loose, n);
    knots_find(&s->c, &k);
    for (uint32_t i = 0; i + 1 < k.first.len && !found && !given_up(s); i++)
      found = search_knot(s, k.events.at + k.first.at[i],
                          k.first.at[i + 1] - k.first.at[i]);
    knots_free(&k);
  }
  free(loose);
  return found;
}

enum tso_answer tso_trace_answer(const struct txn_event *e, uint32_t n,
                                 struct tso_question *how,
                                 struct conflict_cycle *cycle) {
  struct trace_search s = {.most = how->most, .keep_order = how->keep_order};
  enum tso_answer answer = TSO_YES;
  *cycle = (struct conflict_cycle){0};
  if (!event_chains_init(&s.c, e, n, cycle)) {
    answer = TSO_NO;
  } else {
    s.next_special = xmalloc(((size_t)n + 1) * sizeof *s.next_special);
    s.p = (struct profile){.c = &s.c, .next_special = s.next_special};
    if (s.keep_order)
      in_order_init(&s.order, &s.c);
    if (search_trace(&s)) {
      put_cycle(&s, cycle);
      answer = TSO_NO;
    } else if (given_up(&s)) {
      answer = TSO_UNKNOWN;
    }
  }
  how->steps = s.p.steps;
  in_order_free(&s.order);
  vec_free(&s.p.at);
  vec_free(&s.roots);
  free(s.next_special);
  free(s.path);
  event_chains_free(&s.c);
  return answer;
}

enum tso_answer tso_trace_serializable(const struct txn_event *e, uint32_t n,
                                       uint64_t steps,
                                       struct conflict_cycle *cycle) {
  struct tso_question how = {.most = steps};
  return tso_trace_answer(e, n, &how, cycle);
}
