/* Settled traces, on line, and what a theorem says of a trace. */
#include "atomicity/settled.h"
#include "atomicity/sc.h"
#include "atomicity/tso_int.h"

#include <assert.h>
#include <string.h>

static struct settled_thread *thread_of(struct settled *s, uint32_t thread) {
  while (s->threads.len <= thread)
    vec_push(&s->threads, (struct settled_thread){0});
  return &s->threads.at[thread];
}

/* Whether the last store to the object may be in a buffer that this thread does
 * not look into.  Earlier ones may not, or this one met them. */
static bool meets(struct settled *s, uint32_t thread, uint32_t object) {
  uint32_t writer = s->writes.at[object].thread;
  if (!writer-- || writer == thread)
    return false;
  const struct settled_thread *w = &s->threads.at[writer];
  return w->fences == s->writes.at[object].fences && w->joiner != thread + 1;
}

static void see_access(struct settled *s, enum txn_kind kind, uint32_t thread,
                       uint32_t object) {
  while (s->writes.len <= object) {
    vec_reserve(&s->writes, s->writes.len + 1);
    memset(&s->writes.at[s->writes.len++], 0, sizeof *s->writes.at);
  }
  s->met |= meets(s, thread, object);
  if (kind == TXN_READ)
    return;
  s->writes.at[object].thread = thread + 1;
  s->writes.at[object].fences = s->threads.at[thread].fences;
}

void settled_event(struct settled *s, enum txn_kind kind, uint32_t thread,
                   uint32_t object) {
  struct txn_event e = {.kind = (uint8_t)kind};
  assert(kind != TXN_COMMIT);
  if (kind == TXN_JOIN)
    thread_of(s, object)->joiner = thread + 1;
  struct settled_thread *t = thread_of(s, thread);
  if (kind == TXN_BEGIN) {
    t->depth++;
  } else if (kind == TXN_END) {
    assert(t->depth);
    if (!--t->depth) {
      s->unfenced |= t->open;
      t->open = false;
    }
  } else {
    if (tso_access(&e))
      see_access(s, kind, thread, object);
    t->fences += tso_fences(&e); /* a read-modify-write is no late store */
    t->open = !tso_fences(&e);
    if (!t->depth) {
      s->unfenced |= t->open;
      t->open = false;
    }
  }
}

void settled_finish(struct settled *s) {
  for (uint32_t t = 0; t < s->threads.len; t++)
    s->unfenced |= s->threads.at[t].open;
}

void settled_free(struct settled *s) {
  vec_free(&s->threads);
  vec_free(&s->writes);
}

/* The last fence of the event's transaction, which ends with one. */
static uint32_t fence_after(const struct txn_event *e, uint32_t n,
                            uint32_t event) {
  uint32_t last = event;
  for (uint32_t i = event; i < n; i++)
    if (e[i].thread == e[event].thread && !tso_mark(&e[i])) {
      if (e[i].txn != e[event].txn)
        break;
      last = i;
    }
  assert(tso_fences(&e[last]));
  return last;
}

/* A cycle under SC as one of TSO conflicts: events of a thread are ordered by
 * the fence that ends the first one's transaction. */
static void with_fences(const struct txn_event *e, uint32_t n,
                        struct conflict_cycle *cycle) {
  for (uint32_t k = 0; k < cycle->edges.len; k++) {
    struct txn_edge *x = &cycle->edges.at[k];
    if (e[x->from].thread == e[x->to].thread)
      x->from = fence_after(e, n, x->from);
  }
}

/* Marks are no conflicts under TSO: the trace without them. */
static bool serializable_without_marks(const struct txn_event *e, uint32_t n,
                                       struct conflict_cycle *cycle) {
  struct {
    struct txn_event *at;
    uint32_t len, cap;
  } events = {0};
  uint32_t *was = xmalloc(((size_t)n + 1) * sizeof *was);
  for (uint32_t i = 0; i < n; i++)
    if (!tso_mark(&e[i])) {
      was[events.len] = i;
      vec_push(&events, e[i]);
    }
  bool yes = sc_serializable(events.at, events.len, cycle);
  for (uint32_t k = 0; k < cycle->edges.len; k++) {
    struct txn_edge *x = &cycle->edges.at[k];
    *x = (struct txn_edge){was[x->from], was[x->to]};
  }
  free(was);
  vec_free(&events);
  return yes;
}

enum tso_theorem tso_trace_theorem(const struct txn_event *e, uint32_t n,
                                   struct conflict_cycle *cycle) {
  struct settled s = {0};
  for (uint32_t i = 0; i < n && !s.met; i++)
    if (!tso_mark(&e[i])) /* transactions are in `txn` */
      settled_event(&s, e[i].kind, e[i].thread, e[i].object);
  bool met = s.met, sc = serializable_without_marks(e, n, cycle);
  enum tso_theorem by = tso_theorem(sc, met, tso_transaction_fenced(e, n));
  settled_free(&s);
  if (by == TSO_THEOREM_3)
    with_fences(e, n, cycle);
  else
    conflict_cycle_free(cycle);
  return by;
}
