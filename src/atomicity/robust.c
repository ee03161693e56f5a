/*
 * Robustness from SC executions, after the observation of Burckhardt and
 * Musuvathi (CAV 2008) that the first step out of SC is a read: all events but
 * it make an SC execution, and it reads what a write w of another thread has
 * overwritten there.
 *
 * In the SC execution every write commits at once.  A read r can be done before
 * the commit of w, if r does not come after that under TSO, where a commit
 * comes before later commits of its thread, a fence, and conflicting accesses
 * of others, but not before the thread's reads.  If besides w comes before r in
 * program order and conflicts, no SC execution has r before w.
 *
 * A write to the object by r's own thread after w hides w from r.
 *                                           tests/agree/atomicity_tso.c
 */
#include "atomicity/tso.h"
#include "atomicity/tso_int.h"

#include <string.h>

/* The execution with its commits; `back[i]`: which event i was. */
struct with_commits {
  VEC(struct txn_event) e;
  VEC(uint32_t) back;
};

static void put_commits(const struct txn_event *e, uint32_t n,
                        struct with_commits *w) {
  for (uint32_t i = 0; i < n; i++) {
    if (tso_mark(&e[i]))
      continue;
    vec_push(&w->e, e[i]);
    vec_push(&w->back, i);
    if (e[i].kind != TXN_WRITE)
      continue;
    struct txn_event c = e[i];
    c.kind = TXN_COMMIT;
    c.issue = w->e.len - 1;
    vec_push(&w->e, c);
    vec_push(&w->back, i);
  }
}

static bool conflict(const struct txn_event *a, const struct txn_event *b) {
  return tso_access(a) && tso_access(b) && a->object == b->object &&
         !(a->kind == TXN_READ && b->kind == TXN_READ);
}

/* Event j after event i, directly, under SC (program order and conflicts). */
static bool sc_edge(const struct txn_event *a, const struct txn_event *b) {
  return a->thread == b->thread || tso_hand_over(a, b) || conflict(a, b);
}

/* The thread of the read at j wrote its object after i: it may read that from
 * its buffer, before the commit at i. */
static bool hidden(const struct with_commits *w, uint32_t i, uint32_t j) {
  const struct txn_event *r = &w->e.at[j];
  for (uint32_t k = i + 1; k < j; k++)
    if (w->e.at[k].kind == TXN_COMMIT && w->e.at[k].thread == r->thread &&
        w->e.at[k].object == r->object)
      return true;
  return false;
}

static bool tso_edge(const struct with_commits *w, uint32_t i, uint32_t j) {
  const struct txn_event *a = &w->e.at[i], *b = &w->e.at[j];
  bool ca = a->kind == TXN_COMMIT, cb = b->kind == TXN_COMMIT;
  if (a->thread == b->thread)
    return ca == cb || tso_fences(a) || tso_fences(b) || (cb && b->issue == i);
  if (tso_hand_over(a, b))
    return true;
  bool ma = ca || a->kind == TXN_READ || a->kind == TXN_RMW;
  bool mb = cb || b->kind == TXN_READ || b->kind == TXN_RMW;
  return ma && mb && a->object == b->object &&
         !(a->kind == TXN_READ && b->kind == TXN_READ) &&
         !(b->kind == TXN_READ && hidden(w, i, j));
}

/* Which of the events before r reach it, other than by the edge (skip, r); by:
 * the next one on the way. */
static void reaching_tso(const struct with_commits *w, uint32_t r,
                         uint32_t skip, bool *reach) {
  memset(reach, 0, (r + 1) * sizeof *reach);
  reach[r] = true;
  for (uint32_t i = r; i-- > 0;)
    for (uint32_t j = i + 1; j <= r && !reach[i]; j++)
      reach[i] = reach[j] && !(i == skip && j == r) && tso_edge(w, i, j);
}

static void reaching_sc(const struct txn_event *e, uint32_t r, uint32_t skip,
                        uint32_t *by) {
  by[r] = r;
  for (uint32_t i = r; i-- > 0;) {
    by[i] = UINT32_MAX;
    for (uint32_t j = r; j > i && !tso_mark(&e[i]); j--)
      if (by[j] != UINT32_MAX && !tso_mark(&e[j]) && !(i == skip && j == r) &&
          sc_edge(&e[i], &e[j]))
        by[i] = j;
  }
}

/* Whether r can be done before the write at c of the list with commits. */
static bool steps_out(const struct txn_event *e, const struct with_commits *w,
                      uint32_t r, uint32_t c, bool *reach, uint32_t *by) {
  reaching_tso(w, r, c, reach);
  if (reach[c])
    return false;
  reaching_sc(e, w->back.at[r], w->back.at[c], by);
  return by[w->back.at[c]] != UINT32_MAX;
}

static bool read_is_robust(const struct txn_event *e,
                           const struct with_commits *w, uint32_t r,
                           bool *reach, uint32_t *by,
                           struct conflict_cycle *cycle) {
  const struct txn_event *read = &w->e.at[r];
  for (uint32_t c = r; c-- > 0;) {
    const struct txn_event *o = &w->e.at[c];
    if ((o->kind != TXN_COMMIT && o->kind != TXN_RMW) ||
        o->object != read->object)
      continue;
    if (o->thread == read->thread)
      return true;
    /* Earlier writes come before this one, hence before r. */
    if (!steps_out(e, w, r, c, reach, by))
      return true;
    uint32_t from = w->back.at[r], to = w->back.at[c];
    vec_push(&cycle->edges, ((struct txn_edge){from, to}));
    for (; to != from; to = by[to])
      vec_push(&cycle->edges, ((struct txn_edge){to, by[to]}));
    return false;
  }
  return true;
}

bool tso_robust(const struct txn_event *e, uint32_t n,
                struct conflict_cycle *cycle) {
  struct with_commits w = {0};
  bool yes = true;
  *cycle = (struct conflict_cycle){0};
  put_commits(e, n, &w);
  bool *reach = xcalloc((size_t)w.e.len + 1, sizeof *reach);
  uint32_t *by = xcalloc((size_t)n + 1, sizeof *by);
  for (uint32_t r = 0; r < w.e.len && yes; r++)
    if (w.e.at[r].kind == TXN_READ)
      yes = read_is_robust(e, &w, r, reach, by, cycle);
  free(reach);
  free(by);
  vec_free(&w.e);
  vec_free(&w.back);
  return yes;
}
