/*
 * What the monitors of containers share.  Each value is added once, removed at
 * most once and peeked at any number of times, so that the operations on each
 * value are known.
 *
 * (A) An operation that returned "empty" needs a gap that no value covers.
 *       enq(1)  deq() = empty      wrong
 * (B) A pending add whose value no operation returned is left out.  If one did,
 *     the add returned at the end of time.
 * (C) A pending removal may have taken any value that was not removed, or none.
 *     If the history without pending removals is linearizable, it is.  If it is
 *     not even when every such value has a removal of its own, called when the
 *     first pending one was, it is not.  Otherwise monitor_pending.c looks for
 *     the values that they took.             tests/agree/monitor_containers.c
 */
#include "history/monitor/monitor_int.h"

#include <assert.h>
#include <string.h>

static enum monitor_ending take_add(struct monitor *m, struct values_seen *s,
                                    struct monitor_numbering *numbers,
                                    uint32_t op) {
  const struct type_op *o = &m->p->ops[op];
  bool fresh;
  if (o->arg[0] == m->p->type->empty)
    return monitor_refuse(m, "the value that means \"empty\" was added");
  if (!o->any_result && o->result != DATUM_TRUE && o->result != DATUM_NONE)
    return monitor_refuse(m, "an insertion returned an unusual result");
  uint32_t v = numbering_put(numbers, o->arg[0], &fresh);
  if (!fresh)
    return monitor_refuse(m, "a value was added twice");
  s->at[v] = (struct monitor_value){.add = op,
                                    .remove = MONITOR_NONE,
                                    .add_inv = m->inv[op],
                                    .add_res = m->res[op],
                                    .add_by = op,
                                    .rem_inv = m->inv[op],
                                    .rem_res = MONITOR_NEVER,
                                    .rem_by = op,
                                    .front_res = MONITOR_NEVER,
                                    .front_by = MONITOR_NONE,
                                    .peeks = MONITOR_NONE};
  return MONITOR_YES;
}

/* A removal or peek that returned the value. */
static enum monitor_ending take_sight(struct monitor *m, struct values_seen *s,
                                      struct monitor_value *v, uint32_t op) {
  if (m->res[op] < v->add_inv) {
    monitor_blame(m, v->add);
    monitor_blame(m, op);
    return monitor_say(m, "%o returned before %o was called", op, v->add);
  }
  if (m->p->ops[op].role == ROLE_PEEK) {
    s->next_peek[op] = v->peeks;
    v->peeks = op;
    s->npeeks++;
  } else if (v->remove != MONITOR_NONE) {
    monitor_blame(m, v->add);
    monitor_blame(m, v->remove);
    monitor_blame(m, op);
    return monitor_say(m, "%w was removed twice, but added only once", v);
  } else {
    v->remove = op;
    v->rem_res = m->res[op];
  }
  if (m->res[op] < v->add_res) {
    v->add_res = m->res[op];
    v->add_by = op;
  }
  if (m->inv[op] > v->rem_inv) {
    v->rem_inv = m->inv[op];
    v->rem_by = op;
  }
  if (m->res[op] < v->front_res) {
    v->front_res = m->res[op];
    v->front_by = op;
  }
  return MONITOR_YES;
}

/* Some removals wait while nothing is inside: they never return "empty". */
static bool can_be_empty(const struct monitor *m, uint32_t op) {
  uint32_t next[TYPE_NEXT];
  return m->p->type->step(m->p->type, m->p->type->initial, &m->p->ops[op],
                          next) > 0;
}

static enum monitor_ending take_empty(struct monitor *m, struct values_seen *s,
                                      uint32_t op) {
  uint32_t code = m->p->ops[op].code;
  if ((!s->nempties || code != s->empty_code) && !can_be_empty(m, op))
    return monitor_refuse(m, "a removal that has to wait found nothing");
  s->empty_code = code;
  s->empties[s->nempties++] = op;
  return MONITOR_YES;
}

static enum monitor_ending take_op(struct monitor *m, struct values_seen *s,
                                   struct monitor_numbering *numbers,
                                   uint32_t op, number_vec *later) {
  const struct type_op *o = &m->p->ops[op];
  if (o->role == ROLE_ADD)
    return take_add(m, s, numbers, op);
  if (monitor_is_idle(o))
    return MONITOR_YES;
  if (o->role != ROLE_REMOVE && o->role != ROLE_PEEK)
    return monitor_refuse(
        m,
        "the history has operations other than adding, removing and peeking");
  if (m->res[op] == MONITOR_NEVER) {
    if (o->role == ROLE_REMOVE)
      vec_push(&s->pending, op);
    if (m->inv[op] < s->pending_inv)
      s->pending_inv = m->inv[op];
    return MONITOR_YES;
  }
  if (o->any_result)
    return monitor_refuse(m, "the result of a removal is unknown");
  if (o->result == m->p->type->empty)
    return take_empty(m, s, op);
  vec_push(later, op);
  return MONITOR_YES;
}

/* Removals and peeks that returned a value come last, when it is certain that
 * the history can be decided here. */
static enum monitor_ending take_all(struct monitor *m, struct values_seen *s,
                                    struct monitor_numbering *numbers) {
  enum monitor_ending e = MONITOR_YES;
  number_vec sights = {0};
  for (uint32_t i = 0; i < m->p->nops && e == MONITOR_YES; i++)
    e = take_op(m, s, numbers, i, &sights);
  s->n = numbers->n;
  for (uint32_t i = 0; i < sights.len && e == MONITOR_YES; i++) {
    uint32_t op = sights.at[i];
    datum d = m->p->ops[op].result;
    uint32_t v = numbering_get(numbers, d);
    if (v == MONITOR_NONE) {
      monitor_blame(m, op);
      e = monitor_say(m, "%o, but nobody added %v", op, d);
    } else {
      e = take_sight(m, s, &s->at[v], op);
    }
  }
  vec_free(&sights);
  return e;
}

/* The violation: a peek was called after the value had been removed. */
static enum monitor_ending late_peek(struct monitor *m,
                                     const struct values_seen *s,
                                     const struct monitor_value *v) {
  uint32_t op = v->peeks;
  while (m->inv[op] < v->rem_res)
    op = s->next_peek[op];
  monitor_blame(m, v->add);
  monitor_blame(m, v->remove);
  monitor_blame(m, op);
  return monitor_say(m, "%o was called after %o returned", op, v->remove);
}

/* Drops values of pending adds that no operation returned (B), and completes
 * the times of the others. */
static enum monitor_ending settle(struct monitor *m, struct values_seen *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    struct monitor_value *v = &s->at[i];
    if (v->add_res == MONITOR_NEVER) /* B */
      continue;
    if (v->remove == MONITOR_NONE) {
      v->rem_inv = MONITOR_NEVER;
      v->rem_by = MONITOR_NONE;
    } else if (v->rem_inv > v->rem_res) {
      return late_peek(m, s, v);
    }
    assert(v->add_inv < v->add_res);                              /* V1 */
    assert(v->rem_inv < v->rem_res || v->remove == MONITOR_NONE); /* V2 */
    assert(v->front_res >= v->add_res);                           /* V3 */
    if (n != i)
      s->at[n] = *v;
    n++;
  }
  s->n = n;
  return MONITOR_YES;
}

static enum monitor_ending match(struct monitor *m, struct values_seen *s) {
  uint32_t adds = m->nwrites, n = m->p->nops;
  struct monitor_numbering numbers;
  struct monitor scratch = {0};
  numbering_init(&numbers, &scratch, adds);
  s->at = monitor_room(m, (size_t)adds + 1, sizeof *s->at);
  s->next_peek = monitor_room(m, (size_t)n + 1, sizeof *s->next_peek);
  s->empties = monitor_room(m, (size_t)(n - adds) + 1, sizeof *s->empties);
  s->pending_inv = MONITOR_NEVER;
  enum monitor_ending e = take_all(m, s, &numbers);
  arena_free(&scratch.arena);
  m->early_bytes = m->bytes + scratch.bytes;
  return e == MONITOR_YES ? settle(m, s) : e;
}

void monitor_blame_value(struct monitor *m, const struct monitor_value *v) {
  monitor_blame(m, v->add);
  monitor_blame(m, v->add_by);
  monitor_blame(m, v->rem_by);
  monitor_blame(m, v->remove);
}

void monitor_cover(struct monitor *m, const struct values_seen *s,
                   const uint32_t *some, uint32_t n, uint32_t from, uint32_t to,
                   number_vec *out) {
  for (uint32_t i = 0; from < to;) {
    uint32_t best = MONITOR_NONE, until = from;
    for (; i < n && s->at[some[i]].add_res <= from; i++)
      if (gap_from(m, s->at[some[i]].rem_inv) > until) {
        best = some[i];
        until = gap_from(m, s->at[best].rem_inv);
      }
    assert(best != MONITOR_NONE); /* they do cover it */
    vec_push(out, best);
    from = until;
  }
}

static uint32_t *by_add_res(struct monitor *m, const struct values_seen *s) {
  struct by_time *a = monitor_room(m, (size_t)s->n + 1, sizeof *a);
  for (uint32_t i = 0; i < s->n; i++)
    a[i] = (struct by_time){s->at[i].add_res, i};
  by_time_sort(m, a, s->n);
  uint32_t *some = monitor_room(m, (size_t)s->n + 1, sizeof *some);
  for (uint32_t i = 0; i < s->n; i++)
    some[i] = a[i].id;
  return some;
}

static enum monitor_ending not_empty(struct monitor *m,
                                     const struct values_seen *s, uint32_t op) {
  number_vec inside = {0};
  monitor_cover(m, s, by_add_res(m, s), s->n, m->inv[op], m->res[op], &inside);
  monitor_blame(m, op);
  for (uint32_t i = 0; i < inside.len; i++)
    monitor_blame_value(m, &s->at[inside.at[i]]);
  if (inside.len == 1)
    monitor_say(m, "%o, but %w was inside all the time", op,
                &s->at[inside.at[0]]);
  else
    monitor_say(m, "%o, but a value was inside at every moment: %w, …, %w", op,
                &s->at[inside.at[0]], &s->at[vec_last(&inside)]);
  vec_free(&inside);
  return MONITOR_NO;
}

/* Condition (A).  s->cover counts, by gap, the gaps before it that no value
 * covers. */
static enum monitor_ending check_empties(struct monitor *m,
                                         struct values_seen *s) {
  if (!s->nempties)
    return MONITOR_YES;
  uint32_t *cover = s->cover;
  if (!cover)
    cover = s->cover = monitor_room(m, (size_t)m->end + 2, sizeof *cover);
  memset(cover, 0, ((size_t)m->end + 2) * sizeof *cover);
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].add_res < s->at[i].rem_inv) {
      cover[s->at[i].add_res]++;
      cover[gap_from(m, s->at[i].rem_inv)]--;
    }
  uint32_t free = 0, inside = 0;
  for (uint32_t g = 0; g <= m->end; g++) {
    inside += cover[g];
    cover[g] = free;
    free += inside == 0;
  }
  for (uint32_t i = 0; i < s->nempties; i++) {
    uint32_t op = s->empties[i];
    if (cover[m->inv[op]] == cover[m->res[op]])
      return not_empty(m, s, op);
  }
  return MONITOR_YES;
}

enum monitor_ending monitor_decide_values(struct monitor *m,
                                          struct values_seen *s,
                                          monitor_decide *decide) {
  enum monitor_ending e = check_empties(m, s);
  return e == MONITOR_YES ? decide(m, s) : e;
}

/* (C): every value that was not removed gets a removal of its own, called when
 * the first pending one was. */
static void remove_the_rest(struct values_seen *s, const struct monitor *m) {
  for (uint32_t i = 0; i < s->n; i++) {
    struct monitor_value *v = &s->at[i];
    if (v->remove != MONITOR_NONE)
      continue;
    v->rem_inv = m->inv[v->add];
    v->rem_by = v->add;
    for (uint32_t op = v->peeks; op != MONITOR_NONE; op = s->next_peek[op])
      if (m->inv[op] > v->rem_inv) {
        v->rem_inv = m->inv[op];
        v->rem_by = op;
      }
    if (s->pending_inv > v->rem_inv) {
      v->rem_inv = s->pending_inv;
      v->rem_by = MONITOR_NONE; /* no operation of the core */
    }
  }
}

static enum monitor_ending decide_all(struct monitor *m, struct values_seen *s,
                                      monitor_decide *decide) {
  enum monitor_ending e = match(m, s);
  if (e != MONITOR_YES)
    return e;
  e = monitor_decide_values(m, s, decide);
  if (e != MONITOR_NO || s->pending_inv == MONITOR_NEVER)
    return e;
  vec_clear(&m->out->core);
  remove_the_rest(s, m);
  e = monitor_decide_values(m, s, decide);
  return e == MONITOR_YES ? monitor_pending(m, s, decide) : e;
}

enum monitor_ending monitor_container(struct monitor *m,
                                      monitor_decide *decide) {
  struct values_seen s = {0};
  enum monitor_ending e = decide_all(m, &s, decide);
  vec_free(&s.pending);
  return e;
}
