/*
 * A priority queue: each removal and each peek needs a gap that no better value
 * covers.  Values of equal priority do not hinder each other.
 *   insert(1)  insert(2)  min() = 2      wrong: 1 covers all gaps of min
 *
 * Values are looked at from the best priority on.  Covered gaps are linked to
 * the next gap that is not covered: an operation has a gap if that lies in its
 * interval.
 */
#include "history/monitor/monitor_int.h"

#include <string.h>

struct pqueue_ranked {
  uint64_t key;
  uint32_t v;
};

struct pqueue_monitor {
  struct monitor *m;
  struct values_seen *s;
  struct pqueue_ranked *ranks; /* the best first */
  uint32_t *free; /* by gap: a later one, or itself if not covered */
};

static uint32_t first_free(struct pqueue_monitor *q, uint32_t g) {
  while (q->free[g] != g) {
    q->free[g] = q->free[q->free[g]];
    g = q->free[g];
  }
  return g;
}

static void cover(struct pqueue_monitor *q, const struct monitor_value *v) {
  uint32_t to = gap_from(q->m, v->rem_inv);
  for (uint32_t g = v->add_res; g < to; g++) {
    g = first_free(q, g);
    if (g >= to)
      break;
    q->free[g] = g + 1;
  }
}

/* The violation: better values, of the first `rank`, cover all gaps of `op`. */
static enum monitor_ending not_best(struct pqueue_monitor *q,
                                    const struct monitor_value *v,
                                    uint32_t rank, uint32_t op, uint32_t from,
                                    uint32_t to) {
  struct monitor *m = q->m;
  const struct values_seen *s = q->s;
  struct by_time *a = monitor_room(m, (size_t)rank + 1, sizeof *a);
  uint32_t *some = monitor_room(m, (size_t)rank + 1, sizeof *some);
  number_vec inside = {0};
  for (uint32_t i = 0; i < rank; i++)
    a[i] = (struct by_time){s->at[q->ranks[i].v].add_res, q->ranks[i].v};
  by_time_sort(m, a, rank);
  for (uint32_t i = 0; i < rank; i++)
    some[i] = a[i].id;
  monitor_cover(m, s, some, rank, from, to, &inside);
  monitor_blame_value(m, v);
  monitor_blame(m, op);
  for (uint32_t i = 0; i < inside.len; i++)
    monitor_blame_value(m, &s->at[inside.at[i]]);
  if (inside.len == 1)
    monitor_say(m, "%o, but %w, which comes first, was inside all the time", op,
                &s->at[inside.at[0]]);
  else
    monitor_say(m,
                "%o, but a value that comes first was inside at every moment: "
                "%w, …, %w",
                op, &s->at[inside.at[0]], &s->at[vec_last(&inside)]);
  vec_free(&inside);
  return MONITOR_NO;
}

static enum monitor_ending look(struct pqueue_monitor *q,
                                const struct monitor_value *v, uint32_t rank,
                                uint32_t op, uint32_t inv, uint32_t res) {
  uint32_t from = gap_from(q->m, inv), to = gap_to(q->m, res);
  return first_free(q, from) < to ? MONITOR_YES
                                  : not_best(q, v, rank, op, from, to);
}

static enum monitor_ending look_at_value(struct pqueue_monitor *q,
                                         const struct monitor_value *v,
                                         uint32_t rank) {
  enum monitor_ending e = MONITOR_YES;
  if (v->remove != MONITOR_NONE)
    e = look(q, v, rank, v->remove, v->rem_inv, v->rem_res);
  for (uint32_t op = v->peeks; e == MONITOR_YES && op != MONITOR_NONE;
       op = q->s->next_peek[op])
    e = look(q, v, rank, op, peek_from(q->m, v, op), peek_to(q->m, v, op));
  return e;
}

static void rank_pass(struct pqueue_ranked *to,
                      const struct pqueue_ranked *from, uint32_t n,
                      unsigned shift) {
  uint32_t start[2049] = {0};
  for (uint32_t i = 0; i < n; i++)
    start[(from[i].key >> shift & 2047) + 1]++;
  for (uint32_t i = 0; i < 2048; i++)
    start[i + 1] += start[i];
  for (uint32_t i = 0; i < n; i++)
    to[start[from[i].key >> shift & 2047]++] = from[i];
}

/* A radix sort over the digits in which the keys differ. */
static struct pqueue_ranked *rank_sort(struct monitor *m,
                                       struct pqueue_ranked *a, uint32_t n) {
  struct pqueue_ranked *b = monitor_room(m, (size_t)n + 1, sizeof *b);
  uint64_t differ = 0;
  for (uint32_t i = 1; i < n; i++)
    differ |= a[i].key ^ a[0].key;
  for (unsigned shift = 0; shift < 64; shift += 11) {
    if (!(differ >> shift & 2047))
      continue;
    rank_pass(b, a, n, shift);
    struct pqueue_ranked *t = a;
    a = b;
    b = t;
  }
  return a;
}

/* The second argument of the insertion, or the value itself. */
static datum priority(const struct pqueue_monitor *q, uint32_t v) {
  const struct type_op *o = &q->m->p->ops[q->s->at[v].add];
  return o->arg[o->arg[1] != DATUM_NONE];
}

static int by_order(const void *x, const void *y, void *with) {
  return datum_order(priority(with, ((const struct pqueue_ranked *)x)->v),
                     priority(with, ((const struct pqueue_ranked *)y)->v));
}

/* Sorts the values, the best first.  Keys of numbers sort as the numbers do; if
 * there are other priorities, the keys are places in the order of all. */
static void rank_values(struct pqueue_monitor *q, bool largest_first) {
  struct values_seen *s = q->s;
  bool numbers = true;
  q->ranks = monitor_room(q->m, (size_t)s->n + 1, sizeof *q->ranks);
  for (uint32_t i = 0; i < s->n; i++) {
    datum d = priority(q, i);
    bool is_number = datum_is_number(d);
    uint64_t number = is_number ? (uint64_t)datum_to_number(d) : 0;
    q->ranks[i] = (struct pqueue_ranked){number ^ UINT64_C(1) << 63, i};
    numbers &= is_number;
  }
  if (!numbers && s->n) {
    uint64_t key = 0;
    qsort_r(q->ranks, s->n, sizeof *q->ranks, by_order, q);
    for (uint32_t i = 0; i < s->n; i++) {
      key += i && by_order(&q->ranks[i - 1], &q->ranks[i], q) != 0;
      q->ranks[i].key = key;
    }
  }
  for (uint32_t i = 0; largest_first && i < s->n; i++)
    q->ranks[i].key = ~q->ranks[i].key;
  q->ranks = rank_sort(q->m, q->ranks, s->n);
}

static void make_order(const struct pqueue_monitor *q) {
  size_t n = q->s->n;
  uint32_t *ranked = monitor_room(q->m, n + 1, sizeof *ranked);
  uint32_t *group_end = monitor_room(q->m, n + 1, sizeof *group_end);
  for (uint32_t i = q->s->n; i-- > 0;) {
    bool last = i + 1 == n || q->ranks[i].key != q->ranks[i + 1].key;
    ranked[i] = q->ranks[i].v;
    group_end[i] = last ? i + 1 : group_end[i + 1];
  }
  monitor_pqueue_order(q->m, q->s, ranked, group_end);
}

static enum monitor_ending decide(struct monitor *m, struct values_seen *s,
                                  bool largest_first) {
  struct pqueue_monitor q = {.m = m, .s = s};
  rank_values(&q, largest_first);
  q.free = monitor_room(m, (size_t)m->end + 2, sizeof *q.free);
  for (uint32_t g = 0; g <= m->end + 1; g++)
    q.free[g] = g;
  for (uint32_t i = 0, next; i < s->n; i = next) {
    for (next = i; next < s->n && q.ranks[next].key == q.ranks[i].key; next++) {
      enum monitor_ending e = look_at_value(&q, &s->at[q.ranks[next].v], i);
      if (e != MONITOR_YES)
        return e;
    }
    for (uint32_t k = i; k < next; k++)
      cover(&q, &s->at[q.ranks[k].v]);
  }
  if (m->want_order)
    make_order(&q);
  return MONITOR_YES;
}

static enum monitor_ending smallest(struct monitor *m, struct values_seen *s) {
  return decide(m, s, false);
}

static enum monitor_ending largest(struct monitor *m, struct values_seen *s) {
  return decide(m, s, true);
}

enum monitor_ending monitor_pqueue(struct monitor *m) {
  return monitor_container(m, smallest);
}

enum monitor_ending monitor_max_pqueue(struct monitor *m) {
  return monitor_container(m, largest);
}
