/*
 * An order that explains a queue, from an order v1, v2, … of its values, in
 * which the monitor took them away.  No value must be before one with a smaller
 * number. Values that are certainly gone before a moment at which nothing was
 * inside come before those that came later, since of the values that can be
 * taken away the one with the least rem_inv is (monitor_queue.c).
 *
 * vi leaves at the first gap that is neither before its rem_inv nor before that
 * of an earlier value.  It comes at the last gap that is before its add_res and
 * before those of all later values, but not after it leaves.
 *   enq(1) [1, 4]  enq(2) [2, 3]  deq() = 1 [5, 6]: 1 comes at gap 2, as 2 does
 *
 * Each gap lies inside of its operation: otherwise one of two values would have
 * to be before the other the other way round. tests/agree/monitor_containers.c
 */
#include "history/monitor/monitor_int.h"

struct queue_front { /* a peek or a removal, which needs its value in front */
  uint32_t gap, op, rank;
  bool removes;
};

struct queue_order {
  struct monitor *m;
  const struct values_seen *s;
  const uint32_t *ranked;   /* values */
  uint32_t *comes, *leaves; /* gaps, by rank */
  struct queue_front *fronts;
  uint32_t nfronts;
  struct by_time *empties;
};

static const struct monitor_value *value_at(const struct queue_order *p,
                                            uint32_t rank) {
  return &p->s->at[p->ranked[rank]];
}

static void place_values(struct queue_order *p) {
  uint32_t n = p->s->n, latest = 0, first = p->m->end;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t gap = gap_from(p->m, value_at(p, i)->rem_inv);
    latest = gap > latest ? gap : latest;
    p->leaves[i] = latest;
  }
  for (uint32_t i = n; i-- > 0;) {
    uint32_t gap = value_at(p, i)->add_res - 1;
    first = gap < first ? gap : first;
    p->comes[i] = first < p->leaves[i] ? first : p->leaves[i];
  }
}

static void place_fronts(struct queue_order *p) {
  struct monitor *m = p->m;
  struct by_time *peeks =
      monitor_room(m, (size_t)p->s->npeeks + 1, sizeof *peeks);
  for (uint32_t i = 0; i < p->s->n; i++) {
    const struct monitor_value *v = value_at(p, i);
    uint32_t n = 0, from = p->comes[i];
    if (i && p->leaves[i - 1] > from)
      from = p->leaves[i - 1];
    for (uint32_t op = v->peeks; op != MONITOR_NONE; op = p->s->next_peek[op])
      peeks[n++] = (struct by_time){m->inv[op] > from ? m->inv[op] : from, op};
    by_time_sort(m, peeks, n);
    for (uint32_t k = 0; k < n; k++)
      p->fronts[p->nfronts++] =
          (struct queue_front){peeks[k].time, peeks[k].id, i, false};
    if (v->remove != MONITOR_NONE)
      p->fronts[p->nfronts++] =
          (struct queue_front){p->leaves[i], v->remove, i, true};
  }
}

/* Each takes effect at its first gap that no value covers. */
static void place_empties(struct queue_order *p) {
  struct monitor *m = p->m;
  uint32_t n = p->s->nempties;
  p->empties = monitor_room(m, (size_t)n + 1, sizeof *p->empties);
  if (!n)
    return;
  uint32_t *next = monitor_room(m, (size_t)m->end + 2, sizeof *next);
  next[m->end] = m->end;
  for (uint32_t g = m->end; g-- > 0;)
    next[g] = p->s->cover[g + 1] > p->s->cover[g] ? g : next[g + 1];
  for (uint32_t i = 0; i < n; i++)
    p->empties[i] =
        (struct by_time){next[m->inv[p->s->empties[i]]], p->s->empties[i]};
  by_time_sort(m, p->empties, n);
}

/* Within a gap: removals and peeks, then "empty" results, then adds. */
static bool put_together(struct queue_order *p, struct log_answer *out) {
  uint32_t in = 0, gone = 0, f = 0, k = 0;
  while (in < p->s->n || f < p->nfronts || k < p->s->nempties) {
    bool can_front = f < p->nfronts && p->fronts[f].rank < in;
    bool can_miss = k < p->s->nempties && in == gone;
    uint32_t front = can_front ? p->fronts[f].gap : MONITOR_NEVER;
    uint32_t miss = can_miss ? p->empties[k].time : MONITOR_NEVER;
    uint32_t come = in < p->s->n ? p->comes[in] : MONITOR_NEVER;
    if (can_front && front <= miss && front <= come) {
      gone += p->fronts[f].removes;
      vec_push(&out->order, p->fronts[f++].op);
    } else if (can_miss && miss <= come) {
      vec_push(&out->order, p->empties[k++].id);
    } else if (in < p->s->n) {
      vec_push(&out->order, value_at(p, in++)->add);
    } else {
      return false;
    }
  }
  return true;
}

void monitor_queue_order(struct monitor *m, const struct values_seen *s,
                         const uint32_t *ranked) {
  struct queue_order p = {.m = m, .s = s, .ranked = ranked};
  p.comes = monitor_room(m, (size_t)s->n + 1, sizeof *p.comes);
  p.leaves = monitor_room(m, (size_t)s->n + 1, sizeof *p.leaves);
  p.fronts = monitor_room(m, (size_t)s->n + s->npeeks + 1, sizeof *p.fronts);
  place_values(&p);
  place_fronts(&p);
  place_empties(&p);
  vec_clear(&m->out->order);
  m->has_order = put_together(&p, m->out);
}
