/* Traces by brute force: every acyclic orientation of the event graph. */
#include "oracle/orient.h"

#include "atomicity/tso_int.h"

#include <assert.h>
#include <string.h>

enum { MOST = 64 };

static bool fence_between(const struct txn_event *e, uint32_t i, uint32_t j) {
  for (uint32_t k = i; k < j; k++)
    if (e[k].thread == e[i].thread && tso_fences(&e[k]))
      return true;
  return false;
}

enum trace_relation tso_trace_relation(const struct txn_event *e,
                                       const bool *buffered, uint32_t i,
                                       uint32_t j) {
  const struct txn_event *a = &e[i], *b = &e[j];
  if (tso_mark(a) || tso_mark(b))
    return TRACE_NONE;
  if (a->thread == b->thread)
    return tso_same_thread(a, b, buffered[i]) ? TRACE_DIRECTED : TRACE_NONE;
  if (tso_hand_over(a, b))
    return TRACE_DIRECTED;
  bool ra = a->kind == TXN_READ, rb = b->kind == TXN_READ;
  if (!tso_access(a) || !tso_access(b) || a->object != b->object || (ra && rb))
    return TRACE_NONE;
  /* Fences between i and j; a itself when it is one. */
  if (fence_between(e, i, j) || (ra && !buffered[i]))
    return TRACE_DIRECTED;
  return TRACE_UNDIRECTED;
}

struct orient {
  const struct txn_event *e;
  uint32_t n;
  struct {
    uint32_t i, j;
  } edge[MOST * MOST / 2];
  uint32_t nedges;
};

/* reach[i]: the events after i, and i. */
struct order {
  uint64_t reach[MOST];
};

static bool add(const struct orient *o, struct order *s, uint32_t i,
                uint32_t j) {
  if (s->reach[j] >> i & 1)
    return false;
  for (uint32_t k = 0; k < o->n; k++)
    if (s->reach[k] >> i & 1)
      s->reach[k] |= s->reach[j];
  return true;
}

/* A path of events is one of transactions; those are closed once more. */
static bool cyclic(const struct orient *o, const struct order *s) {
  struct order t = *s;
  for (uint32_t i = 0; i < o->n; i++)
    for (uint32_t j = 0; j < o->n; j++)
      if (o->e[i].txn == o->e[j].txn)
        t.reach[i] |= s->reach[j] | UINT64_C(1) << j;
  for (uint32_t k = 0; k < o->n; k++)
    for (uint32_t i = 0; i < o->n; i++)
      if (t.reach[i] >> k & 1)
        t.reach[i] |= t.reach[k];
  for (uint32_t i = 0; i < o->n; i++)
    for (uint32_t j = 0; j < o->n; j++)
      if (o->e[i].txn != o->e[j].txn && (t.reach[i] >> j & 1) &&
          (t.reach[j] >> i & 1))
        return true;
  return false;
}

static bool try_all(const struct orient *o, const struct order *s,
                    uint32_t next) {
  if (next == o->nedges)
    return !cyclic(o, s);
  uint32_t i = o->edge[next].i, j = o->edge[next].j;
  struct order one = *s, other = *s;
  if (add(o, &one, i, j) && !try_all(o, &one, next + 1))
    return false;
  return !add(o, &other, j, i) || try_all(o, &other, next + 1);
}

bool tso_trace_slow(const struct txn_event *e, uint32_t n) {
  struct orient *o = xcalloc(1, sizeof *o);
  struct order s;
  bool buffered[MOST];
  assert(n <= MOST);
  *o = (struct orient){.e = e, .n = n};
  tso_buffered(e, n, buffered);
  for (uint32_t i = 0; i < n; i++)
    s.reach[i] = UINT64_C(1) << i;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++) {
      enum trace_relation r = tso_trace_relation(e, buffered, i, j);
      if (r == TRACE_DIRECTED)
        add(o, &s, i, j);
      if (r == TRACE_UNDIRECTED) {
        o->edge[o->nedges].i = i;
        o->edge[o->nedges++].j = j;
      }
    }
  bool yes = try_all(o, &s, 0);
  free(o);
  return yes;
}
