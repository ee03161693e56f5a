/*
 * Which values did the pending removals of a container take?
 *
 * A violation that would be none if a value had been removed names that value
 * in its core, and an operation by whose return it must have been gone.  So the
 * values are found one by one:
 *   enq(1)  enq(2)  a: deq()…  deq() = 2      the core names 1: a took it
 *
 * A pending removal can take effect at any time after its call.  Of two that
 * took effect, the one that was called first can have been the first; otherwise
 * they change places.  So the values that had to be gone first go to the
 * removals that were called first, and no more removals take effect than there
 * are such values.
 *
 * The result is decided again.  "Linearizable" is as certain as without pending
 * removals.  A violation is not, since other values may have been taken: then
 * the monitor gives no answer.
 */
#include "history/monitor/monitor_int.h"

#include <stdlib.h>
#include <string.h>

struct lost_value { /* a value that a pending removal took */
  uint32_t value;
  uint32_t gone_by; /* by this return it must have been gone */
};

struct pending_takes {
  struct monitor *m;
  struct values_seen *s;
  VEC(struct lost_value) lost;
  uint8_t *blamed; /* by operation */
};

static void settle_left(struct monitor_value *v) {
  v->remove = MONITOR_NONE;
  v->rem_inv = v->rem_res = MONITOR_NEVER;
  v->rem_by = MONITOR_NONE;
}

static void let_take(struct pending_takes *t, struct monitor_value *v,
                     uint32_t op) {
  const struct monitor *m = t->m;
  v->remove = v->rem_by = op;
  v->rem_inv = m->inv[op];
  v->rem_res = MONITOR_NEVER;
  if (m->inv[v->add] > v->rem_inv) {
    v->rem_inv = m->inv[v->add];
    v->rem_by = v->add;
  }
  for (uint32_t k = v->peeks; k != MONITOR_NONE; k = t->s->next_peek[k])
    if (m->inv[k] > v->rem_inv) {
      v->rem_inv = m->inv[k];
      v->rem_by = k;
    }
}

/* Marks the operations of the core.  Returns the time by which a value of the
 * core must have been gone: the last return of a removal or peek in it. */
static uint32_t mark_core(struct pending_takes *t) {
  const struct monitor *m = t->m;
  uint32_t gone_by = 0;
  for (uint32_t i = 0; i < m->out->core.len; i++) {
    uint32_t op = m->out->core.at[i];
    uint8_t role = m->p->ops[op].role;
    t->blamed[op] = 1;
    if ((role == ROLE_REMOVE || role == ROLE_PEEK) &&
        m->res[op] != MONITOR_NEVER && m->res[op] > gone_by)
      gone_by = m->res[op];
  }
  return gone_by;
}

static void unmark_core(struct pending_takes *t) {
  for (uint32_t i = 0; i < t->m->out->core.len; i++)
    t->blamed[t->m->out->core.at[i]] = 0;
}

/* A value of the core that was not removed joins `lost`; or a value of `lost`
 * gets an earlier time.  False: neither helps. */
static bool add_lost(struct pending_takes *t, uint32_t gone_by) {
  const struct monitor_value *at = t->s->at;
  for (uint32_t i = 0; i < t->s->n; i++)
    if (at[i].remove == MONITOR_NONE && t->blamed[at[i].add]) {
      if (t->lost.len == t->s->pending.len)
        return false;
      vec_push(&t->lost, ((struct lost_value){i, gone_by}));
      return true;
    }
  for (uint32_t i = 0; i < t->lost.len; i++)
    if (t->blamed[at[t->lost.at[i].value].add] &&
        t->lost.at[i].gone_by > gone_by) {
      t->lost.at[i].gone_by = gone_by;
      return true;
    }
  return false;
}

static int by_gone(const void *x, const void *y) {
  const struct lost_value *a = x, *b = y;
  if (a->gone_by != b->gone_by)
    return a->gone_by < b->gone_by ? -1 : 1;
  return a->value < b->value ? -1 : a->value > b->value;
}

static bool find_lost(struct pending_takes *t) {
  bool found = add_lost(t, mark_core(t));
  unmark_core(t);
  if (!found)
    return false;
  qsort(t->lost.at, t->lost.len, sizeof *t->lost.at, by_gone);
  for (uint32_t i = 0; i < t->lost.len; i++) /* `pending` is sorted by call */
    let_take(t, &t->s->at[t->lost.at[i].value], t->s->pending.at[i]);
  return true;
}

/* One decision, in an arena that is freed after it. */
static enum monitor_ending decide_once(struct pending_takes *t,
                                       monitor_decide *decide) {
  struct monitor once = *t->m;
  once.arena = (struct arena){0};
  t->s->cover = NULL;
  vec_clear(&once.out->core);
  vec_clear(&once.out->order);
  enum monitor_ending e = monitor_decide_values(&once, t->s, decide);
  arena_free(&once.arena);
  t->s->cover = NULL;
  t->m->has_order = once.has_order;
  t->m->why = once.why;
  return e;
}

enum monitor_ending monitor_pending(struct monitor *m, struct values_seen *s,
                                    monitor_decide *decide) {
  /* A bound of the effort: each round goes through all operations. */
  static const uint64_t most = 100000000;
  struct pending_takes t = {.m = m, .s = s};
  enum monitor_ending e;
  t.blamed = monitor_zeroed(m, (size_t)m->p->nops + 1, 1);
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].remove == MONITOR_NONE)
      settle_left(&s->at[i]);
  uint64_t work = 0;
  do {
    e = decide_once(&t, decide);
    work += m->p->nops;
  } while (e == MONITOR_NO && work < most && find_lost(&t));
  vec_free(&t.lost);
  vec_clear(&m->out->core);
  free(m->out->reason);
  m->out->reason = NULL;
  return e == MONITOR_YES
             ? e
             : monitor_refuse(
                   m, "the answer depends on what pending removals took");
}
