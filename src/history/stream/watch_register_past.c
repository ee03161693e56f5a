/*
 * The past of a register, for search: each remembered group becomes one write
 * and one or two reads with the same f and s.  The forgotten groups of a chain
 * become one write of a fresh value, which the first group that is left
 * replaces.
 *
 *   write(1)  cas(1, 2)  cas(2, 3)  read() = 3      with 1 and 2 forgotten:
 *   write(x)  cas(x, 3)  read() = 3
 */
#include "history/stream/watch_register_int.h"

static void add_cas(const struct register_watch *r, datum old, datum new,
                    uint64_t call, uint64_t ret, struct watch_past *p) {
  const struct watch_form *f = &r->watch.getting;
  past_add(p, f, DATUM_NONE, call, ret);
  struct watch_past_op *x = &vec_last(&p->ops);
  for (int i = 0; i < LOG_ARGS; i++) /* shown in reports only */
    x->op.arg[i] = f->op.arg[i] == f->t.arg[0]   ? old
                   : f->op.arg[i] == f->t.arg[1] ? new
                                                 : f->op.arg[i];
  x->t.arg[0] = old;
  x->t.arg[1] = new;
  if (ret == WATCH_NEVER)
    return;
  x->t.any_result = false;
  x->t.result = x->op.result = DATUM_TRUE;
}

static void add_write(const struct register_watch *r, const struct reg_group *g,
                      uint64_t ret, struct watch_past *p) {
  if (g->old != DATUM_NONE)
    add_cas(r, g->old, g->value, g->call * PAST_SCALE, ret, p);
  else
    past_add(p, &r->watch.put, g->value, g->call * PAST_SCALE, ret);
}

/* A read of the group with s as its call. */
static void last_past(const struct register_watch *r, const struct reg_group *g,
                      struct watch_past *p) {
  if (g->last > g->call)
    past_add(p, &r->watch.got, g->value, g->last * PAST_SCALE + 1, p->end++);
}

/* The operations of a group; the caller adds its write if it is open. */
static void group_past(const struct register_watch *r,
                       const struct reg_group *g, struct watch_past *p) {
  uint64_t call = g->call * PAST_SCALE, first = g->first * PAST_SCALE;
  if (g->call && !g->open)
    add_write(r, g, first, p);
  if (g->crashed)
    add_write(r, g, WATCH_NEVER, p);
  if (g->open && g->first != WATCH_NEVER)
    past_add(p, &r->watch.got, g->value, call + 1, first);
  last_past(r, g, p);
}

/* A write that stands for the beginning of a chain, with its F; returns the
 * value that it writes. */
static datum root_past(const struct register_watch *r,
                       const struct reg_chain *v, datum value,
                       struct watch_past *p) {
  if (!v->call)
    return r->watch.type->initial_value;
  past_add(p, &r->watch.put, value, v->call * PAST_SCALE,
           v->first * PAST_SCALE - 2);
  return value;
}

/* A forgotten chain: F, and S by a read or, if nothing was ever read, by a
 * compare-and-set. */
static void gone_past(const struct register_watch *r, uint32_t k,
                      struct watch_past *p) {
  const struct reg_chain *v = &r->gone[k];
  datum value = root_past(r, v, watch_fresh_value(2 * k), p);
  uint64_t last = v->last * PAST_SCALE + 1;
  if (v->last <= v->call)
    return;
  if (r->watch.got.known)
    past_add(p, &r->watch.got, value, last, p->end++);
  else
    add_cas(r, value, watch_fresh_value(2 * k + 1), last, p->end++, p);
}

/* The head of a chain whose first groups were forgotten: a compare-and-set that
 * replaces a fresh value.  Nothing may read the forgotten groups, since a later
 * group has returned; their s lie before that return. */
static void head_past(const struct register_watch *r, const struct reg_chain *v,
                      datum fresh, struct watch_past *p) {
  const struct reg_group *head = &r->groups.at[v->head];
  uint64_t first = WATCH_NEVER;
  uint64_t call = head->call > v->cut_last ? head->call : v->cut_last;
  for (uint32_t g = v->head; g != WATCH_NONE; g = r->groups.at[g].next)
    if (r->groups.at[g].first < first)
      first = r->groups.at[g].first;
  datum root = root_past(r, v, fresh, p);
  add_cas(r, root, head->value, call * PAST_SCALE + 2, first * PAST_SCALE - 1,
          p);
  last_past(r, head, p);
}

bool watch_register_past(struct watch *w, struct watch_past *p) {
  struct register_watch *r = (struct register_watch *)w;
  reg_forget(r);
  for (uint32_t k = 0; k < r->ngone; k++)
    gone_past(r, k, p);
  for (uint32_t i = 0; i < r->map.size; i++) {
    uint32_t id = r->map.slots[i].id;
    if (id == WATCH_NONE)
      continue;
    const struct reg_group *g = &r->groups.at[id];
    const struct reg_chain *v =
        g->chain == WATCH_NONE ? NULL : &r->chains.at[g->chain];
    if (v && v->cut && v->head == id)
      head_past(r, v, watch_fresh_value(4 + g->chain), p);
    else
      group_past(r, g, p);
  }
  return true;
}
