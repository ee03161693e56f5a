/*
 * A register to which every value is written at most once, so that each read
 * shows its write: Gibbons and Korach, SIAM J. Comput. 26(4), 1997, with
 * successful compare-and-sets added.
 *
 * A group is a write and the reads of its value.  A successful compare-and-set
 * begins the group that follows the group of its old value directly: groups
 * form chains.  In a chain no operation of a later group may return before one
 * of an earlier group, or the write of its own, is called.
 *   write(1)  cas(1, 2)  read() = 1      wrong: cas returned before read
 *
 * Let f be the first return and s the last call of a chain.
 * - f < s: the chain was there before f and after s, so that no other chain
 *   lies inside (f, s), its forward zone.
 * - f > s: all of it can take effect in one gap of [s, f], its backward zone.
 * The history is linearizable iff no two forward zones overlap and no backward
 * zone lies inside a forward one.
 *                                                tests/agree/monitor_register.c
 *   write(1)  write(2)  read() = 1      (f, s) of 1 contains the zone of 2
 *
 * The initial value was written before all times.  A pending write whose value
 * no operation shows is left out.  A failed compare-and-set only says which
 * value was not there: such histories are not decided here, unless the value
 * was never written.
 */
#include "history/monitor/monitor_int.h"

struct register_group {
  uint32_t writer;      /* MONITOR_NONE: of the initial value */
  uint32_t before;      /* the value that its CAS replaced, or NONE */
  uint32_t next;        /* the value that a CAS put in its place, or NONE */
  uint32_t seen_by;     /* an operation that shows the value, or NONE */
  uint32_t first, last; /* operations: first return, last call */
  uint32_t root;        /* the value that its chain begins with */
  bool by_cas;
};

static const struct register_group no_group = {
    MONITOR_NONE, MONITOR_NONE, MONITOR_NONE, MONITOR_NONE,
    MONITOR_NONE, MONITOR_NONE, MONITOR_NONE, false};

struct register_chain {
  uint32_t f, s;       /* times */
  uint32_t f_op, s_op; /* operations; NONE: the initial write */
  uint32_t f_group, s_group;
};

struct register_monitor {
  struct monitor *m;
  struct monitor_numbering numbers; /* of values: 0 is the initial one */
  struct register_group *groups;    /* by value */
  struct register_chain *chains;
  uint32_t nchains;
  VEC(uint32_t)
  later;                 /* operations on values whose write comes later, and
                            failed compare-and-sets */
  VEC(uint32_t) pending; /* compare-and-sets without a result */
};

static bool writes(const struct type_op *o) {
  return o->role == ROLE_WRITE ||
         (o->role == ROLE_CAS && o->result != DATUM_FALSE);
}

static datum written(const struct type_op *o) {
  return o->arg[o->role == ROLE_CAS];
}

static bool is_pending(const struct register_monitor *r, uint32_t op) {
  return op != MONITOR_NONE && r->m->res[op] == MONITOR_NEVER;
}

static void take(struct register_monitor *r, struct register_group *g,
                 uint32_t op) {
  const struct monitor *m = r->m;
  if (g->first == MONITOR_NONE || m->res[op] < m->res[g->first])
    g->first = op;
  if (g->last == MONITOR_NONE || m->inv[op] > m->inv[g->last])
    g->last = op;
}

/* Adds to the core why a pending write must have taken effect. */
static void blame_sight(struct register_monitor *r, uint32_t v) {
  while (v != MONITOR_NONE && is_pending(r, r->groups[v].writer)) {
    uint32_t op = r->groups[v].seen_by;
    monitor_blame(r->m, op);
    v = is_pending(r, op)
            ? numbering_get(&r->numbers, written(&r->m->p->ops[op]))
            : MONITOR_NONE;
  }
}

static enum monitor_ending never_written(struct register_monitor *r,
                                         uint32_t op, datum d) {
  monitor_blame(r->m, op);
  if (is_pending(r, op))
    blame_sight(r, numbering_get(&r->numbers, written(&r->m->p->ops[op])));
  return monitor_say(r->m, "%o, but nobody wrote %v", op, d);
}

/* A pending compare-and-set whose value was read or replaced took effect: then
 * its old value was there, too. */
static enum monitor_ending see_before(struct register_monitor *r, uint32_t op) {
  const struct type_op *ops = r->m->p->ops;
  uint32_t v = numbering_get(&r->numbers, written(&ops[op]));
  while (r->groups[v].seen_by != MONITOR_NONE) {
    datum d = ops[op].arg[0];
    v = numbering_get(&r->numbers, d);
    if (v == MONITOR_NONE)
      return never_written(r, op, d);
    struct register_group *g = &r->groups[v];
    if (g->seen_by != MONITOR_NONE)
      break;
    g->seen_by = op;
    op = g->writer;
    if (!g->by_cas || !is_pending(r, op))
      break;
  }
  return MONITOR_YES;
}

static enum monitor_ending take_write(struct register_monitor *r, uint32_t op) {
  const struct type_op *o = &r->m->p->ops[op];
  bool fresh;
  uint32_t v = numbering_put(&r->numbers, written(o), &fresh);
  if (!fresh)
    return monitor_refuse(r->m, v ? "a value was written twice"
                                  : "the initial value was written again");
  r->groups[v] = no_group;
  r->groups[v].writer = op;
  r->groups[v].by_cas = o->role == ROLE_CAS;
  return MONITOR_YES;
}

/* An operation that returned shows its value.  False: the write of that value
 * comes later in the log. */
static bool take_sight(struct register_monitor *r, uint32_t op) {
  const struct type_op *o = &r->m->p->ops[op];
  bool reads = o->role == ROLE_READ;
  uint32_t v = numbering_get(&r->numbers, reads ? o->result : o->arg[0]);
  if (v == MONITOR_NONE)
    return false;
  if (r->groups[v].seen_by == MONITOR_NONE)
    r->groups[v].seen_by = op;
  if (reads)
    take(r, &r->groups[v], op);
  return true;
}

static enum monitor_ending take_op(struct register_monitor *r, uint32_t op) {
  const struct type_op *o = &r->m->p->ops[op];
  bool known = !monitor_is_idle(o) && !is_pending(r, op);
  switch (o->role) {
  case ROLE_READ:
    if (known && !take_sight(r, op))
      vec_push(&r->later, op);
    return MONITOR_YES;
  case ROLE_CAS:
    if (!known)
      vec_push(&r->pending, op);
    else if (o->result == DATUM_FALSE || !take_sight(r, op))
      vec_push(&r->later, op);
    return writes(o) ? take_write(r, op) : MONITOR_YES;
  case ROLE_WRITE:
    return take_write(r, op);
  default:
    if (monitor_is_idle(o))
      return MONITOR_YES;
    return monitor_refuse(r->m, "the history has operations other than "
                                "reading, writing and compare-and-set");
  }
}

/* An operation of `later`, when all writes are known.  A failed compare-and-set
 * of a value that was never written says nothing, and is left out. */
static enum monitor_ending take_later(struct register_monitor *r, uint32_t op) {
  const struct type_op *o = &r->m->p->ops[op];
  datum d = o->role == ROLE_READ ? o->result : o->arg[0];
  if (o->role == ROLE_CAS && o->result == DATUM_FALSE)
    return numbering_get(&r->numbers, d) == MONITOR_NONE
               ? MONITOR_YES
               : monitor_refuse(r->m, "a failed compare-and-set does not say "
                                      "what it saw");
  return take_sight(r, op) ? MONITOR_YES : never_written(r, op, d);
}

static enum monitor_ending take_all(struct register_monitor *r) {
  const struct log_problem *p = r->m->p;
  enum monitor_ending e = MONITOR_YES;
  bool fresh;
  numbering_put(&r->numbers, p->type->initial_value, &fresh);
  r->groups[0] = no_group;
  for (uint32_t i = 0; i < p->nops && e == MONITOR_YES; i++)
    e = take_op(r, i);
  /* Failed ones first: they say whether the history can be decided here. */
  for (int failed = 1; failed >= 0; failed--)
    for (uint32_t i = 0; i < r->later.len && e == MONITOR_YES; i++)
      if (failed == (p->ops[r->later.at[i]].result == DATUM_FALSE))
        e = take_later(r, r->later.at[i]);
  for (uint32_t i = 0; i < r->pending.len && e == MONITOR_YES; i++)
    e = see_before(r, r->pending.at[i]);
  return e;
}

static bool took_effect(const struct register_monitor *r,
                        const struct register_group *g) {
  return !is_pending(r, g->writer) || g->seen_by != MONITOR_NONE;
}

/* Links the group of each compare-and-set to the group that it replaced. */
static enum monitor_ending link_groups(struct register_monitor *r) {
  for (uint32_t v = 1; v < r->numbers.n; v++) {
    struct register_group *g = &r->groups[v];
    if (!took_effect(r, g))
      continue;
    take(r, g, g->writer);
    if (!g->by_cas)
      continue;
    const struct type_op *o = &r->m->p->ops[g->writer];
    g->before = numbering_get(&r->numbers, o->arg[0]);
    struct register_group *old = &r->groups[g->before];
    if (old->next != MONITOR_NONE) {
      uint32_t other = r->groups[old->next].writer;
      monitor_blame(r->m, old->writer);
      monitor_blame(r->m, other);
      monitor_blame(r->m, g->writer);
      blame_sight(r, v);
      blame_sight(r, old->next);
      return monitor_say(
          r->m, "both %o and %o replaced %v, which was written only once",
          other, g->writer, o->arg[0]);
    }
    old->next = v;
  }
  return MONITOR_YES;
}

/* Adds the writes of the chain up to this value to the core. */
static void blame_path(struct register_monitor *r, uint32_t v) {
  for (; v != MONITOR_NONE; v = r->groups[v].before) {
    monitor_blame(r->m, r->groups[v].writer);
    blame_sight(r, v);
  }
}

static enum monitor_ending wrong_order(struct register_monitor *r, uint32_t v,
                                       uint32_t earlier, uint32_t op) {
  blame_path(r, v);
  monitor_blame(r->m, earlier);
  monitor_blame(r->m, op);
  return monitor_say(
      r->m,
      "%o returned before %o was called, but can only take effect after it", op,
      earlier);
}

/* Walks along a chain; *left counts the groups that are in no chain yet. */
static enum monitor_ending make_chain(struct register_monitor *r, uint32_t root,
                                      uint32_t *left) {
  const struct monitor *m = r->m;
  struct register_chain c = {MONITOR_NEVER, 0,    MONITOR_NONE,
                             MONITOR_NONE,  root, root};
  if (root == 0)
    c.f = 0; /* it was written before all times */
  for (uint32_t v = root; v != MONITOR_NONE; v = r->groups[v].next) {
    struct register_group *g = &r->groups[v];
    g->root = root;
    --*left;
    if (g->first == MONITOR_NONE) /* the initial value, which no read shows */
      continue;
    uint32_t res = m->res[g->first];
    if (g->writer != MONITOR_NONE && res < m->inv[g->writer])
      return wrong_order(r, v, g->writer, g->first);
    if (res < c.s)
      return wrong_order(r, v, c.s_op, g->first);
    if (res < c.f)
      c = (struct register_chain){res, c.s, g->first, c.s_op, v, c.s_group};
    if (m->inv[g->last] > c.s)
      c = (struct register_chain){c.f,     m->inv[g->last], c.f_op,
                                  g->last, c.f_group,       v};
  }
  if (c.s_op == MONITOR_NONE)
    return MONITOR_YES; /* nothing happened to the initial value */
  r->chains[r->nchains++] = c;
  return MONITOR_YES;
}

/* A group that is in no chain is on a cycle: each has a group before it and at
 * most one after it. */
static enum monitor_ending cycle(struct register_monitor *r) {
  uint32_t first = 1;
  while (!took_effect(r, &r->groups[first]) ||
         r->groups[first].root != MONITOR_NONE)
    first++;
  uint32_t v = first;
  do {
    monitor_blame(r->m, r->groups[v].writer);
    blame_sight(r, v);
    v = r->groups[v].before;
  } while (v != first);
  return monitor_say(r->m, "%o needs a value that is written only after it",
                     r->groups[first].writer);
}

static enum monitor_ending make_chains(struct register_monitor *r) {
  uint32_t left = 0;
  enum monitor_ending e = MONITOR_YES;
  r->chains = monitor_room(r->m, (size_t)r->numbers.n + 1, sizeof *r->chains);
  for (uint32_t v = 0; v < r->numbers.n; v++)
    left += took_effect(r, &r->groups[v]);
  for (uint32_t v = 0; v < r->numbers.n && e == MONITOR_YES; v++)
    if (r->groups[v].before == MONITOR_NONE && took_effect(r, &r->groups[v]))
      e = make_chain(r, v, &left);
  return e == MONITOR_YES && left ? cycle(r) : e;
}

/* The violation: a, with a forward zone, was there before b and after it. */
static enum monitor_ending clash(struct register_monitor *r,
                                 const struct register_chain *a,
                                 const struct register_chain *b) {
  struct monitor *m = r->m;
  const uint32_t ops[4] = {a->f_op, a->s_op, b->f_op, b->s_op};
  const uint32_t groups[4] = {a->f_group, a->s_group, b->f_group, b->s_group};
  for (int i = 0; i < 4; i++) {
    monitor_blame(m, ops[i]);
    blame_path(r, groups[i]);
  }
  datum d = r->numbers.data[a->s_group];
  if (a->f_op == MONITOR_NONE)
    return monitor_say(
        m,
        "%o was called after %o returned, but %v can only be from before that",
        a->s_op, b->f_op, d);
  if (b->f_op == b->s_op)
    return monitor_say(m,
                       "%o returned before %o was called, and that returned "
                       "before %o was called, but %v was written only once",
                       a->f_op, b->s_op, a->s_op, d);
  return monitor_say(m,
                     "%o returned before %o was called, and %o before %o, but "
                     "%v was written only once",
                     a->f_op, b->s_op, b->f_op, a->s_op, d);
}

/* The order: chains by the beginning of their zones; in a group the write, then
 * the reads by call. */
static void make_order(struct register_monitor *r,
                       const struct by_time *chains) {
  struct monitor *m = r->m;
  uint32_t n = r->numbers.n;
  uint32_t *first = monitor_room(m, (size_t)n + 1, sizeof *first);
  uint32_t *next = monitor_room(m, (size_t)m->p->nops + 1, sizeof *next);
  for (uint32_t v = 0; v < n; v++)
    first[v] = MONITOR_NONE;
  for (uint32_t i = m->p->nops; i-- > 0;) {
    const struct type_op *o = &m->p->ops[i];
    if (o->role != ROLE_READ || monitor_is_idle(o) || is_pending(r, i))
      continue;
    uint32_t v = numbering_get(&r->numbers, o->result);
    next[i] = first[v];
    first[v] = i;
  }
  for (uint32_t i = 0; i < r->nchains; i++) {
    uint32_t v = r->groups[r->chains[chains[i].id].f_group].root;
    for (; v != MONITOR_NONE; v = r->groups[v].next) {
      if (r->groups[v].writer != MONITOR_NONE)
        vec_push(&m->out->order, r->groups[v].writer);
      for (uint32_t op = first[v]; op != MONITOR_NONE; op = next[op])
        vec_push(&m->out->order, op);
    }
  }
  m->has_order = true;
}

static enum monitor_ending check_zones(struct register_monitor *r) {
  struct by_time *order =
      monitor_room(r->m, (size_t)r->nchains + 1, sizeof *order);
  for (uint32_t i = 0; i < r->nchains; i++) {
    const struct register_chain *c = &r->chains[i];
    order[i] = (struct by_time){c->f < c->s ? c->f : c->s, i};
  }
  by_time_sort(r->m, order, r->nchains);
  const struct register_chain *forward = NULL;
  for (uint32_t i = 0; i < r->nchains; i++) {
    const struct register_chain *c = &r->chains[order[i].id];
    if (forward && c->f < forward->s)
      return clash(r, forward, c);
    if (c->f < c->s)
      forward = c;
  }
  if (r->m->want_order)
    make_order(r, order);
  return MONITOR_YES;
}

enum monitor_ending monitor_register(struct monitor *m) {
  struct register_monitor r = {.m = m};
  numbering_init(&r.numbers, m, m->nwrites + 1);
  r.groups = monitor_room(m, (size_t)m->nwrites + 1, sizeof *r.groups);
  enum monitor_ending e = take_all(&r);
  if (e == MONITOR_YES)
    e = link_groups(&r);
  if (e == MONITOR_YES)
    e = make_chains(&r);
  if (e == MONITOR_YES)
    e = check_zones(&r);
  vec_free(&r.later);
  vec_free(&r.pending);
  return e;
}
