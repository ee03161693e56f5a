/*
 * An order that explains a stack, from the order in which the monitor took its
 * values out.  They are put back, the last one first, such that
 *
 * (N1) in every gap that no value so far covers there is a moment at which the
 *      stack is empty: the mark of the gap.
 *
 * When v was taken out, each of its operations had a gap that no remaining
 * value covered.  So v is pushed at the mark of the last such gap of its push,
 * and popped at the mark of the first such gap of its pop: what happens between
 * the two marks begins and ends with nothing above v.  (N1) stays true: a gap
 * between the two that was not covered lies after the end of the push and
 * before the beginning of the pop, and so v covers it.
 *   push(1)  push(2)  pop() = 2  pop() = 1      2 is put back, then 1 around it
 *
 * N1 is not asserted: if it were false a value would find no gap, and then the
 * monitor gives no order.
 *                                              tests/agree/monitor_containers.c
 */
#include "history/monitor/monitor_gaps.h"

struct stack_order {
  struct monitor *m;
  const struct values_seen *s;
  struct gaps gaps;
  /* A linked list of marks, by gap, and operations, numbered after them. */
  uint32_t *next, *prev;
};

static uint32_t node_of(const struct stack_order *p, uint32_t op) {
  return p->m->end + 1 + op;
}

static void put_behind(struct stack_order *p, uint32_t at, uint32_t op) {
  uint32_t node = node_of(p, op), next = p->next[at];
  p->next[at] = node;
  p->prev[node] = at;
  p->next[node] = next;
  if (next != MONITOR_NONE)
    p->prev[next] = node;
}

static bool put_peek(struct stack_order *p, const struct monitor_value *v,
                     uint32_t op, uint32_t comes, uint32_t leaves) {
  uint32_t gap = gaps_first(&p->gaps, peek_from(p->m, v, op));
  if (gap >= peek_to(p->m, v, op))
    return false;
  if (gap <= comes)
    put_behind(p, node_of(p, v->add), op);
  else if (gap < leaves)
    put_behind(p, gap, op);
  else /* before the pop, or before the mark of the last gap */
    put_behind(
        p, p->prev[v->remove == MONITOR_NONE ? leaves : node_of(p, v->remove)],
        op);
  return true;
}

static bool put_value(struct stack_order *p, const struct monitor_value *v) {
  struct monitor *m = p->m;
  uint32_t comes = gaps_last(&p->gaps, v->add_res - 1);
  uint32_t leaves = gaps_first(&p->gaps, gap_from(m, v->rem_inv));
  if (comes == MONITOR_NONE || comes < v->add_inv ||
      leaves >= gap_to(m, v->rem_res))
    return false;
  if (leaves < comes)
    comes = leaves; /* both in one gap, which the push contains, too */
  put_behind(p, comes, v->add);
  if (v->remove != MONITOR_NONE)
    put_behind(p, comes == leaves ? node_of(p, v->add) : p->prev[leaves],
               v->remove);
  bool good = true;
  for (uint32_t op = v->peeks; op != MONITOR_NONE && good;
       op = p->s->next_peek[op])
    good = put_peek(p, v, op, comes, leaves);
  gaps_cover_value(&p->gaps, m, v);
  return good;
}

static bool put_empties(struct stack_order *p) {
  for (uint32_t i = 0; i < p->s->nempties; i++) {
    uint32_t op = p->s->empties[i];
    uint32_t gap = gaps_first(&p->gaps, p->m->inv[op]);
    if (gap >= p->m->res[op])
      return false;
    put_behind(p, p->prev[gap], op);
  }
  return true;
}

void monitor_stack_order(struct monitor *m, const struct values_seen *s,
                         const uint32_t *taken) {
  struct stack_order p = {.m = m, .s = s, .gaps = gaps_all(m)};
  size_t nodes = (size_t)m->end + 1 + m->p->nops;
  if (nodes >= MONITOR_NONE)
    return;
  p.next = monitor_room(m, nodes, sizeof *p.next);
  p.prev = monitor_room(m, nodes, sizeof *p.prev);
  for (uint32_t g = 0; g <= m->end; g++) {
    p.next[g] = g < m->end ? g + 1 : MONITOR_NONE;
    p.prev[g] = g - 1; /* nothing is put before the first */
  }
  bool good = true;
  for (uint32_t i = s->n; i-- > 0 && good;)
    good = put_value(&p, &s->at[taken[i]]);
  if (!good || !put_empties(&p))
    return;
  m->has_order = true;
  for (uint32_t i = 0; i != MONITOR_NONE; i = p.next[i])
    if (i > m->end)
      vec_push(&m->out->order, i - m->end - 1);
}
