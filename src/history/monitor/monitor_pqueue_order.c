/*
 * An order that explains a priority queue.  Values are placed from the best one
 * on.  A gap is free if no better value covers it.
 *
 * v leaves at the first free gap of its removal.  A peek takes the last free
 * gap of its own, but not after v leaves.  v comes at the end of its insertion,
 * or as early as a peek needs it.  So wherever v is inside and does not cover
 * the gap, better values cover it, and no worse value is removed there.
 *
 * Within a gap
 *   first, from the best value on: v comes if it leaves in this gap as well, is
 *     looked at, and leaves;
 *   then operations return "empty";
 *   then, from the worst value on: v comes, and is looked at.
 *                                             tests/agree/monitor_containers.c
 */
#include "history/monitor/monitor_gaps.h"

struct pqueue_order {
  struct monitor *m;
  const struct values_seen *s;
  struct gaps gaps;
  uint32_t *comes, *leaves; /* by value */
  uint32_t *peek_gap;       /* by operation */
  struct by_time *all;      /* operations by PARTS * gap + part of the gap */
  uint32_t n;
};
enum { LEAVING, EMPTY, COMING, PARTS };

static bool place(struct pqueue_order *p, uint32_t number) {
  struct monitor *m = p->m;
  const struct monitor_value *v = &p->s->at[number];
  uint32_t leaves = gaps_first(&p->gaps, gap_from(m, v->rem_inv));
  uint32_t comes = v->add_res - 1;
  if (leaves >= gap_to(m, v->rem_res))
    return false;
  for (uint32_t op = v->peeks; op != MONITOR_NONE; op = p->s->next_peek[op]) {
    uint32_t gap = gaps_last(&p->gaps, peek_to(m, v, op) - 1);
    if (gap == MONITOR_NONE || gap < peek_from(m, v, op))
      return false;
    p->peek_gap[op] = gap < leaves ? gap : leaves;
    comes = p->peek_gap[op] < comes ? p->peek_gap[op] : comes;
  }
  p->comes[number] = comes < leaves ? comes : leaves;
  p->leaves[number] = leaves;
  return true;
}

static void put(struct pqueue_order *p, uint32_t gap, uint32_t part,
                uint32_t op) {
  p->all[p->n++] = (struct by_time){gap * PARTS + part, op};
}

static void put_leaving(struct pqueue_order *p, uint32_t number) {
  const struct monitor_value *v = &p->s->at[number];
  uint32_t comes = p->comes[number], leaves = p->leaves[number];
  if (comes == leaves)
    put(p, comes, LEAVING, v->add);
  for (uint32_t op = v->peeks; op != MONITOR_NONE; op = p->s->next_peek[op])
    if (p->peek_gap[op] > comes || comes == leaves)
      put(p, p->peek_gap[op], LEAVING, op);
  if (v->remove != MONITOR_NONE)
    put(p, leaves, LEAVING, v->remove);
}

static void put_coming(struct pqueue_order *p, uint32_t number) {
  const struct monitor_value *v = &p->s->at[number];
  uint32_t comes = p->comes[number];
  if (comes == p->leaves[number])
    return;
  put(p, comes, COMING, v->add);
  for (uint32_t op = v->peeks; op != MONITOR_NONE; op = p->s->next_peek[op])
    if (p->peek_gap[op] == comes)
      put(p, comes, COMING, op);
}

static bool put_empties(struct pqueue_order *p) {
  for (uint32_t i = 0; i < p->s->nempties; i++) {
    uint32_t op = p->s->empties[i];
    uint32_t gap = gaps_first(&p->gaps, p->m->inv[op]);
    if (gap >= p->m->res[op])
      return false;
    put(p, gap, EMPTY, op);
  }
  return true;
}

static bool place_all(struct pqueue_order *p, const uint32_t *ranked,
                      const uint32_t *group_end) {
  for (uint32_t i = 0; i < p->s->n; i = group_end[i]) {
    for (uint32_t k = i; k < group_end[i]; k++)
      if (!place(p, ranked[k]))
        return false;
    for (uint32_t k = i; k < group_end[i]; k++)
      gaps_cover_value(&p->gaps, p->m, &p->s->at[ranked[k]]);
  }
  return true;
}

void monitor_pqueue_order(struct monitor *m, const struct values_seen *s,
                          const uint32_t *ranked, const uint32_t *group_end) {
  struct pqueue_order p = {.m = m, .s = s};
  uint32_t n = m->p->nops;
  if (m->end >= MONITOR_NEVER / PARTS - 1)
    return;
  p.gaps = gaps_all(m);
  p.comes = monitor_room(m, (size_t)s->n + 1, sizeof *p.comes);
  p.leaves = monitor_room(m, (size_t)s->n + 1, sizeof *p.leaves);
  p.peek_gap = monitor_room(m, (size_t)n + 1, sizeof *p.peek_gap);
  p.all = monitor_room(m, (size_t)n + 1, sizeof *p.all);
  if (!place_all(&p, ranked, group_end))
    return;
  for (uint32_t i = 0; i < s->n; i++)
    put_leaving(&p, ranked[i]);
  if (!put_empties(&p))
    return;
  for (uint32_t i = s->n; i-- > 0;)
    put_coming(&p, ranked[i]);
  by_time_sort(m, p.all, p.n); /* stable */
  m->has_order = true;
  for (uint32_t i = 0; i < p.n; i++)
    vec_push(&m->out->order, p.all[i].id);
}
