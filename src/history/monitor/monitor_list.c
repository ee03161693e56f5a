/*
 * A list that is appended to and read as a whole; each item is appended once.
 * The longest read fixes the order of its items.  Version i is the append of
 * the i-th item and all reads of length i.  No operation of a later version may
 * return before one of an earlier version is called.  Appends that no read
 * shows come last, in any order.  A pending append that no read shows is left
 * out.
 *                                              tests/agree/monitor_register.c
 *   append(a)  append(b)  read() = [b, a]      wrong: a, version 2, returned
 *                                              before b, version 1, was called
 */
#include "history/monitor/monitor_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct list_monitor {
  struct monitor *m;
  const struct datum_box *start; /* the initial list */
  uint32_t longest;              /* a read, or MONITOR_NONE */
  const datum *items;            /* of that */
  uint32_t len;
  struct monitor_numbering numbers; /* of items: initial, then appended ones */
  uint32_t *op_of;                  /* by number: its append, or MONITOR_NONE */
  uint32_t *append; /* by version: the operation, or MONITOR_NONE */
  uint32_t *first;  /* by version: the operation that returned first */
  uint32_t *last;   /* by version: the one that was called last */
};

static const struct datum_box *read_list(const struct monitor *m, uint32_t op) {
  return datum_box(m->p->ops[op].result);
}

static enum monitor_ending look_at_ops(struct list_monitor *l) {
  struct monitor *m = l->m;
  l->longest = MONITOR_NONE;
  l->len = l->start->len;
  l->items = l->start->items;
  for (uint32_t i = 0; i < m->p->nops; i++) {
    const struct type_op *o = &m->p->ops[i];
    if (monitor_is_idle(o) || o->role == ROLE_APPEND)
      continue;
    if (o->role != ROLE_READ || datum_kind(o->result) != DATUM_IS_LIST)
      return monitor_refuse(m, "the history has operations other than "
                               "appending to a list and reading it");
    if (l->longest != MONITOR_NONE && read_list(m, i)->len <= l->len)
      continue;
    l->longest = i;
    l->items = read_list(m, i)->items;
    l->len = read_list(m, i)->len;
  }
  return MONITOR_YES;
}

static bool is_prefix(const struct list_monitor *l, const datum *items,
                      uint32_t n) {
  return n <= l->len && (!n || !memcmp(items, l->items, n * sizeof *items));
}

/* Adds the appends of the items of a read to the core: without them the read
 * alone would be wrong.  Returns the first item that was never appended, or
 * DATUM_NONE. */
static datum blame_appends(struct list_monitor *l, uint32_t read) {
  struct monitor *m = l->m;
  const struct datum_box *b = read_list(m, read);
  for (uint32_t i = 0; i < b->len; i++) {
    uint32_t v = numbering_get(&l->numbers, b->items[i]);
    if (v == MONITOR_NONE)
      return b->items[i];
    monitor_blame(m, l->op_of[v]); /* NONE: an initial item */
  }
  return DATUM_NONE;
}

static enum monitor_ending contradict(struct list_monitor *l, uint32_t op) {
  struct monitor *m = l->m;
  const uint32_t reads[] = {op, l->longest};
  if (op == l->longest) {
    monitor_blame(m, op);
    return monitor_say(
        m, "%o does not begin with the initial items of the list", op);
  }
  for (int i = 0; i < 2; i++) {
    datum nobodys = blame_appends(l, reads[i]);
    if (nobodys != DATUM_NONE) {
      m->out->core.len = 0;
      monitor_blame(m, reads[i]);
      return monitor_say(m, "%o, but nobody appended %v", reads[i], nobodys);
    }
    monitor_blame(m, reads[i]);
  }
  const datum *items = read_list(m, op)->items;
  uint32_t at = 0;
  while (items[at] == l->items[at])
    at++;
  char place[24];
  snprintf(place, sizeof place, "%" PRIu32, at + 1);
  return monitor_say(m,
                     "neither of %o and %o is the beginning of the other: item "
                     "%s is %v in one and %v in the other",
                     op, l->longest, place, items[at], l->items[at]);
}

static enum monitor_ending check_prefixes(struct list_monitor *l) {
  struct monitor *m = l->m;
  if (l->longest == MONITOR_NONE)
    return MONITOR_YES;
  if (!is_prefix(l, l->start->items, l->start->len))
    return contradict(l, l->longest);
  for (uint32_t i = 0; i < m->p->nops; i++) {
    if (m->p->ops[i].role != ROLE_READ || monitor_is_idle(&m->p->ops[i]))
      continue;
    const struct datum_box *b = read_list(m, i);
    if (b->len < l->start->len) {
      monitor_blame(m, i);
      return monitor_say(m, "%o, but the list was %v at first", i,
                         m->p->type->initial_value);
    }
    if (!is_prefix(l, b->items, b->len))
      return contradict(l, i);
  }
  return MONITOR_YES;
}

static void take(struct list_monitor *l, uint32_t version, uint32_t op) {
  struct monitor *m = l->m;
  uint32_t *first = &l->first[version], *last = &l->last[version];
  if (*first == MONITOR_NONE || m->res[op] < m->res[*first])
    *first = op;
  if (*last == MONITOR_NONE || m->inv[op] > m->inv[*last])
    *last = op;
}

/* Numbers the initial items and then the appended ones. */
static enum monitor_ending take_appends(struct list_monitor *l) {
  struct monitor *m = l->m;
  bool fresh;
  for (uint32_t i = 0; i < l->start->len; i++)
    if (numbering_put(&l->numbers, l->start->items[i], &fresh) != i)
      return monitor_refuse(m, "an initial item of the list is there twice");
  for (uint32_t i = 0; i < m->p->nops; i++) {
    if (m->p->ops[i].role != ROLE_APPEND)
      continue;
    uint32_t v = numbering_put(&l->numbers, m->p->ops[i].arg[0], &fresh);
    if (!fresh)
      return monitor_refuse(m, "an item was appended twice");
    l->op_of[v] = i;
  }
  return MONITOR_YES;
}

static enum monitor_ending match_items(struct list_monitor *l) {
  struct monitor *m = l->m;
  uint32_t *op_of = l->op_of;
  for (uint32_t i = l->start->len; i < l->len; i++) {
    uint32_t v = numbering_get(&l->numbers, l->items[i]);
    if (v == MONITOR_NONE || v < l->start->len || op_of[v] == MONITOR_NONE) {
      monitor_blame(m, l->longest);
      if (v != MONITOR_NONE)
        for (uint32_t k = 0; k < m->p->nops; k++)
          if (m->p->ops[k].role == ROLE_APPEND &&
              m->p->ops[k].arg[0] == l->items[i])
            monitor_blame(m, k);
      return monitor_say(m,
                         v == MONITOR_NONE
                             ? "%o, but nobody appended %v"
                             : "%o, but %v was appended only once",
                         l->longest, l->items[i]);
    }
    take(l, i + 1, op_of[v]);
    l->append[i + 1] = op_of[v];
    op_of[v] = MONITOR_NONE;
  }
  /* Appends that no read shows come last; initial items have no operation. */
  for (uint32_t v = l->start->len; v < l->numbers.n; v++)
    if (op_of[v] != MONITOR_NONE && m->res[op_of[v]] != MONITOR_NEVER)
      take(l, l->len + 1, op_of[v]);
  return MONITOR_YES;
}

static enum monitor_ending out_of_order(struct list_monitor *l,
                                        uint32_t earlier, uint32_t op) {
  struct monitor *m = l->m;
  monitor_blame(m, earlier);
  monitor_blame(m, op);
  monitor_blame(m, l->longest);
  for (uint32_t i = 0; i <= l->len; i++)
    monitor_blame(m, l->append[i]);
  return monitor_say(
      m, "%o returned before %o was called, but comes after it in the list", op,
      earlier);
}

static enum monitor_ending check_versions(struct list_monitor *l) {
  struct monitor *m = l->m;
  uint32_t last = MONITOR_NONE; /* the last call of earlier versions */
  for (uint32_t i = l->start->len; i <= l->len + 1; i++) {
    uint32_t op = l->first[i], append = l->append[i];
    if (append != MONITOR_NONE && m->res[op] < m->inv[append])
      return out_of_order(l, append, op);
    if (op != MONITOR_NONE && last != MONITOR_NONE && m->res[op] < m->inv[last])
      return out_of_order(l, last, op);
    op = l->last[i];
    if (op != MONITOR_NONE &&
        (last == MONITOR_NONE || m->inv[op] > m->inv[last]))
      last = op;
  }
  return MONITOR_YES;
}

/* The order: version by version; appends that no read shows come last. */
static void make_order(struct list_monitor *l) {
  struct monitor *m = l->m;
  const uint32_t *op_of = l->op_of;
  uint32_t *next = monitor_room(m, (size_t)m->p->nops + 1, sizeof *next);
  uint32_t *first = monitor_room(m, (size_t)l->len + 2, sizeof *first);
  memset(first, 0xff, ((size_t)l->len + 2) * sizeof *first);
  for (uint32_t i = m->p->nops; i-- > 0;) {
    if (m->p->ops[i].role != ROLE_READ || monitor_is_idle(&m->p->ops[i]))
      continue;
    uint32_t version = read_list(m, i)->len;
    next[i] = first[version];
    first[version] = i;
  }
  for (uint32_t i = l->start->len; i <= l->len; i++) {
    if (l->append[i] != MONITOR_NONE)
      vec_push(&m->out->order, l->append[i]);
    for (uint32_t op = first[i]; op != MONITOR_NONE; op = next[op])
      vec_push(&m->out->order, op);
  }
  for (uint32_t v = l->start->len; v < l->numbers.n; v++)
    if (op_of[v] != MONITOR_NONE && m->res[op_of[v]] != MONITOR_NEVER)
      vec_push(&m->out->order, op_of[v]);
  m->has_order = true;
}

static void make_versions(struct list_monitor *l) {
  uint32_t n = l->len + 2;
  uint32_t *all = monitor_room(l->m, (size_t)n * 3, sizeof *all);
  memset(all, 0xff, (size_t)n * 3 * sizeof *all); /* MONITOR_NONE */
  l->append = all;
  l->first = all + n;
  l->last = all + 2 * n;
}

enum monitor_ending monitor_list(struct monitor *m) {
  if (datum_kind(m->p->type->initial_value) != DATUM_IS_LIST)
    return monitor_refuse(m, "the initial value is not a list");
  struct list_monitor l = {.m = m,
                           .start = datum_box(m->p->type->initial_value)};
  uint32_t most = m->nwrites + l.start->len;
  l.op_of = monitor_room(m, (size_t)most + 1, sizeof *l.op_of);
  memset(l.op_of, 0xff, ((size_t)most + 1) * sizeof *l.op_of);
  numbering_init(&l.numbers, m, most);
  enum monitor_ending e = look_at_ops(&l);
  if (e == MONITOR_YES)
    e = take_appends(&l);
  if (e == MONITOR_YES)
    e = check_prefixes(&l);
  if (e != MONITOR_YES)
    return e;
  make_versions(&l);
  e = match_items(&l);
  if (e != MONITOR_YES)
    return e;
  for (uint32_t i = 0; i < m->p->nops; i++)
    if (m->p->ops[i].role == ROLE_READ && !monitor_is_idle(&m->p->ops[i]))
      take(&l, read_list(m, i)->len, i);
  e = check_versions(&l);
  if (e == MONITOR_YES && m->want_order)
    make_order(&l);
  return e;
}
