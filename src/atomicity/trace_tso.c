/*
 * TSO-serializability of traces, after section 6.2 of the paper (see tso.h).
 *
 * A trace is not serializable if and only if undirected edges b1-a2, b2-a3, …,
 * bp-a1 can be directed this way without a cycle of events, and transactions go
 * round: tr(ai) comes before tr(bi), or is it, by directed edges ("ai leads to
 * bi").  We look for such sequences with the least p.
 *
 * (1) Then ai does not lead to bj for any i != j: the way from ai to bj would
 *     leave edges out and be a shorter sequence.
 * (2) By (1), the edges make a cycle of events if and only if every ai comes
 *     before its bi as an event.  So for one of them, say a1, that is not so:
 *     a1 leads to b1 by way of a transaction only (Proposition 3 i).
 * (3) By (1), all ai are in different chains, and so are all bi; so p is at
 *     most the number of chains (Proposition 5).
 *
 * Profiles of the paper name a chain's events by their objects alone.  That is
 * not enough: whether ai leads to bj depends on where in their chains they are.
 * So we go over events, but over no more than needed: of a chain's events on an
 * object (a bucket), those that have an undirected edge with an event, those
 * that it leads to, and those that lead to it are intervals.
 *
 * For each a1, first along shortest ways, with (1) for a1 alone: when there is
 * none back to a1, there is no sequence; when the one that is found makes no
 * cycle of events, it is one.  Else a search with all of (1), which is
 * exponential in p and may be given up.
 */
#include "atomicity/chains.h"
#include "atomicity/tso_int.h"

#include <string.h>

#define NOTHING UINT32_MAX

/* ai leads to bi; bi has an undirected edge with the next a. */
struct segment {
  uint32_t a, b;
};

struct trace_search {
  struct chains c;
  uint64_t steps, most; /* most 0: no limit */
  bool given_up;
  bool *loose; /* by event: has an undirected edge */
  /* of the shortest ways of one a1 */
  uint32_t *low;        /* by bucket: events from here on were reached */
  uint32_t *high;       /* by bucket: a1 leads to events from here on */
  uint32_t *seen;       /* by event, as an a: for which a1, + 1 */
  uint32_t *reached_by; /* by event, as a b: the a that leads to it */
  uint32_t *came_from;  /* by event, as an a: the b before it */
  uint32_t *queue;
  /* of the search */
  struct segment *path;
  uint32_t npath;
};

static const uint32_t *txn_row(const struct trace_search *s, uint32_t a) {
  return s->c.txn_row + (size_t)s->c.e[a].txn * s->c.nchains;
}
static const uint32_t *event_row(const struct trace_search *s, uint32_t a) {
  return s->c.event_row + (size_t)a * s->c.nchains;
}

static bool spend(struct trace_search *s) {
  if (s->most && s->steps >= s->most)
    s->given_up = true;
  else
    s->steps++;
  return !s->given_up;
}

static void find_loose(struct trace_search *s) {
  struct chains *c = &s->c;
  for (uint32_t i = 0; i < c->n; i++) {
    if (!tso_access(&c->e[i]))
      continue;
    const struct on_object *on = &c->on[c->e[i].object];
    for (uint32_t k = 0; k < on->buckets.len && !s->loose[i]; k++) {
      uint32_t from, to;
      event_chains_window(c, i, &c->buckets.at[on->buckets.at[k]], &from, &to);
      s->loose[i] = from < to;
    }
  }
}

/* Whether the edges path[i].b -> path[i + 1].a make a cycle of events. */
static bool event_cycle(const struct trace_search *s, const struct segment *p,
                        uint32_t n) {
  /* Edge i goes to p[(i + 1) % n].a, from where it may reach p[j].b. */
  bool *reach = xcalloc((size_t)n * n, sizeof *reach), cyclic = false;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      reach[i * n + j] = event_before(&s->c, p[(i + 1) % n].a, p[j].b);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++)
        reach[i * n + j] |= reach[i * n + k] && reach[k * n + j];
  for (uint32_t i = 0; i < n; i++)
    cyclic |= reach[i * n + i];
  free(reach);
  return cyclic;
}

static bool in_window(const struct trace_search *s, uint32_t b, uint32_t a) {
  const struct chains *c = &s->c;
  if (c->e[a].thread == c->e[b].thread || c->e[a].object != c->e[b].object)
    return false;
  uint32_t i = a < b ? a : b, j = a < b ? b : a;
  bool ri = c->e[i].kind == TXN_READ, rj = c->e[j].kind == TXN_READ;
  return !(ri && rj) && !(ri && !c->buffered[i]) && c->next_fence[i] > j;
}

/* ---- shortest ways ---- */

/* What a leads to and was not reached yet; for a1, only what it does not come
 * before as an event (2). */
static void reach_from(struct trace_search *s, uint32_t a, bool first,
                       uint32_t *tail) {
  struct chains *c = &s->c;
  for (uint32_t k = 0; k < c->buckets.len; k++) {
    const struct bucket *b = &c->buckets.at[k];
    uint32_t row = txn_row(s, a)[b->chain];
    if (row == NOTHING)
      continue;
    uint32_t from = bucket_from(c, b, row), to = s->low[k];
    if (first)
      to = bucket_from(c, b, event_row(s, a)[b->chain]);
    for (uint32_t i = from; i < to; i++) {
      uint32_t e = b->events.at[i];
      if (!s->loose[e])
        continue;
      s->reached_by[e] = a;
      s->queue[(*tail)++] = e;
    }
    if (!first && from < s->low[k])
      s->low[k] = from;
  }
}

static void find_limits(struct trace_search *s, uint32_t a1) {
  struct chains *c = &s->c;
  for (uint32_t k = 0; k < c->buckets.len; k++) {
    const struct bucket *b = &c->buckets.at[k];
    uint32_t row = txn_row(s, a1)[b->chain];
    s->high[k] = row == NOTHING ? b->events.len : bucket_from(c, b, row);
    s->low[k] = s->high[k];
  }
}

/* The b from which there is an edge to a1, or NOTHING. */
static uint32_t way_back(struct trace_search *s, uint32_t a1) {
  struct chains *c = &s->c;
  uint32_t head = 0, tail = 0;
  find_limits(s, a1);
  reach_from(s, a1, true, &tail);
  while (head < tail) {
    uint32_t b = s->queue[head++];
    if (!spend(s))
      return NOTHING;
    if (in_window(s, b, a1))
      return b;
    const struct on_object *on = &c->on[c->e[b].object];
    for (uint32_t k = 0; k < on->buckets.len; k++) {
      const struct bucket *next = &c->buckets.at[on->buckets.at[k]];
      uint32_t from, to;
      event_chains_window(c, b, next, &from, &to);
      for (uint32_t i = from; i < to; i++) {
        uint32_t a = next->events.at[i];
        s->steps++;
        if (s->seen[a] == a1 + 1)
          continue;
        s->seen[a] = a1 + 1;
        s->came_from[a] = b;
        reach_from(s, a, false, &tail);
      }
    }
  }
  return NOTHING;
}

/* The segments that way_back found; false when they make a cycle of events. */
static bool take_way(struct trace_search *s, uint32_t a1, uint32_t b) {
  s->npath = 0;
  for (;;) {
    uint32_t a = s->reached_by[b];
    s->path[s->npath++] = (struct segment){a, b};
    if (a == a1)
      break;
    b = s->came_from[a];
  }
  for (uint32_t i = 0, j = s->npath - 1; i < j; i++, j--) {
    struct segment swap = s->path[i];
    s->path[i] = s->path[j];
    s->path[j] = swap;
  }
  return !event_cycle(s, s->path, s->npath);
}

/* ---- the search with all of (1) ---- */

static bool extend(struct trace_search *s);

/* Whether no earlier a leads to b. */
static bool b_is_free(const struct trace_search *s, uint32_t b) {
  for (uint32_t i = 0; i < s->npath; i++)
    if (txn_before(&s->c, s->path[i].a, b))
      return false;
  return true;
}
static bool a_is_free(const struct trace_search *s, uint32_t a) {
  for (uint32_t i = 0; i < s->npath; i++)
    if (txn_before(&s->c, a, s->path[i].b))
      return false;
  return true;
}

/* Segments that begin with a. */
static bool segments(struct trace_search *s, uint32_t a) {
  struct chains *c = &s->c;
  for (uint32_t k = 0; k < c->buckets.len; k++) {
    const struct bucket *bucket = &c->buckets.at[k];
    uint32_t row = txn_row(s, a)[bucket->chain];
    if (row == NOTHING)
      continue;
    uint32_t to = bucket->events.len;
    if (!s->npath)
      to = bucket_from(c, bucket, event_row(s, a)[bucket->chain]);
    for (uint32_t i = bucket_from(c, bucket, row); i < to; i++) {
      uint32_t b = bucket->events.at[i];
      if (!b_is_free(s, b))
        break; /* nor is a later one */
      if (!s->loose[b])
        continue;
      if (!spend(s))
        return false;
      s->path[s->npath++] = (struct segment){a, b};
      if (extend(s))
        return true;
      s->npath--;
    }
  }
  return false;
}

static bool extend(struct trace_search *s) {
  struct chains *c = &s->c;
  uint32_t b = s->path[s->npath - 1].b;
  if (in_window(s, b, s->path[0].a))
    return true;
  if (s->npath == c->nchains)
    return false; /* (3) */
  const struct on_object *on = &c->on[c->e[b].object];
  for (uint32_t k = 0; k < on->buckets.len; k++) {
    const struct bucket *next = &c->buckets.at[on->buckets.at[k]];
    uint32_t from, to, txn = NOTHING;
    event_chains_window(c, b, next, &from, &to);
    for (uint32_t i = from; i < to; i++) {
      uint32_t a = next->events.at[i];
      if (c->e[a].txn == txn) /* what it leads to is the same */
        continue;
      txn = c->e[a].txn;
      if (!spend(s))
        return false;
      if (a_is_free(s, a) && segments(s, a))
        return true;
    }
  }
  return false;
}

static bool violation_from(struct trace_search *s, uint32_t a1) {
  uint32_t b = way_back(s, a1);
  if (b == NOTHING)
    return false;
  if (take_way(s, a1, b))
    return true;
  s->npath = 0;
  return segments(s, a1);
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
    struct conflict_edge e = c->edges.edges.at[by[v]];
    vec_push(&cycle->edges, e);
    v = c->e[e.from].txn;
  }
  for (uint32_t i = first, j = cycle->edges.len - 1; i < j; i++, j--) {
    struct conflict_edge swap = cycle->edges.at[i];
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
    vec_push(&cycle->edges, ((struct conflict_edge){
                                s->path[i].b, s->path[(i + 1) % s->npath].a}));
  }
}

static void search_free(struct trace_search *s) {
  free(s->loose);
  free(s->low);
  free(s->high);
  free(s->seen);
  free(s->reached_by);
  free(s->came_from);
  free(s->queue);
  free(s->path);
}

static void search_init(struct trace_search *s) {
  size_t n = (size_t)s->c.n + 1, k = (size_t)s->c.buckets.len + 1;
  s->loose = xcalloc(n, sizeof *s->loose);
  s->low = xcalloc(k, sizeof *s->low);
  s->high = xcalloc(k, sizeof *s->high);
  s->seen = xcalloc(n, sizeof *s->seen);
  s->reached_by = xcalloc(n, sizeof *s->reached_by);
  s->came_from = xcalloc(n, sizeof *s->came_from);
  s->queue = xcalloc(2 * n, sizeof *s->queue);
  s->path = xcalloc(n + s->c.nchains, sizeof *s->path);
  find_loose(s);
}

enum tso_answer tso_trace_serializable(const struct txn_event *e, uint32_t n,
                                       uint64_t steps,
                                       struct conflict_cycle *cycle) {
  struct trace_search s = {.most = steps};
  enum tso_answer answer = TSO_YES;
  *cycle = (struct conflict_cycle){0};
  if (!event_chains_init(&s.c, e, n, cycle)) {
    answer = TSO_NO;
  } else {
    search_init(&s);
    for (uint32_t a = 0; a < n && answer == TSO_YES && !s.given_up; a++)
      if (s.loose[a] && violation_from(&s, a)) {
        put_cycle(&s, cycle);
        answer = TSO_NO;
      }
    if (s.given_up && answer == TSO_YES)
      answer = TSO_UNKNOWN;
  }
  search_free(&s);
  event_chains_free(&s.c);
  return answer;
}
