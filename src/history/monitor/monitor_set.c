/*
 * One element of a set: a bit.
 *
 * The monitor goes through the events in time order and flips the bit as late
 * as possible.  An operation that saw the present bit takes effect at its call.
 * When an operation returns that has not taken effect yet, the bit is flipped
 * until it has, each time by the open add (or remove) that returns first.  A
 * pending one returns at the end of time: it is taken only if there is no
 * other, and need not take effect at all.             tests/agree/monitor_set.c
 *   a: add()…  contains() = true  a: … = true      a flips at the return of
 *                                                  contains
 *   add() = true  contains() = false               wrong: nobody can flip back
 *
 * An element of a multiset that is added at most once is treated the same way.
 */
#include "history/monitor/monitor_int.h"

#include <string.h>

/* The bit that an operation saw; or it flipped the bit. */
enum set_wants { WANTS_OUT, WANTS_IN, FLIPS };

struct set_heap {
  struct by_time *at; /* open adds or removes, by return */
  uint32_t n;
};

struct set_monitor {
  struct monitor *m;
  uint32_t bit;
  uint8_t *done;
  uint32_t *waiting[2]; /* operations that need the bit to be 0, or 1 */
  uint32_t nwaiting[2];
  struct set_heap flips[2]; /* by the bit that they leave behind */
};

static void heap_add(struct set_heap *h, struct by_time x) {
  uint32_t i = h->n++;
  for (; i && h->at[(i - 1) / 2].time > x.time; i = (i - 1) / 2)
    h->at[i] = h->at[(i - 1) / 2];
  h->at[i] = x;
}

static uint32_t heap_take(struct set_heap *h) {
  uint32_t first = h->at[0].id, i = 0;
  struct by_time x = h->at[--h->n];
  for (uint32_t c = 1; c < h->n; c = 2 * i + 1) {
    c += c + 1 < h->n && h->at[c + 1].time < h->at[c].time;
    if (h->at[c].time >= x.time)
      break;
    h->at[i] = h->at[c];
    i = c;
  }
  h->at[i] = x;
  return first;
}

/* *bit: the value that the operation saw or, if it flips the bit, leaves. */
static enum set_wants wants(const struct type_op *o, uint32_t *bit) {
  bool yes = o->result == DATUM_TRUE || o->any_result;
  switch (o->role) {
  case ROLE_CONTAINS:
    *bit = yes;
    return *bit ? WANTS_IN : WANTS_OUT;
  case ROLE_INSERT:
    *bit = 1;
    return yes ? FLIPS : WANTS_IN;
  default:
    *bit = 0;
    return yes ? FLIPS : WANTS_OUT;
  }
}

static void take_effect(struct set_monitor *s, uint32_t op) {
  s->done[op] = 1;
  if (s->m->want_order)
    vec_push(&s->m->out->order, op);
}

static void called(struct set_monitor *s, uint32_t op) {
  const struct type_op *o = &s->m->p->ops[op];
  uint32_t bit;
  if (monitor_is_idle(o)) {
    take_effect(s, op);
    return;
  }
  if (wants(o, &bit) == FLIPS)
    heap_add(&s->flips[bit], (struct by_time){s->m->res[op], op});
  else if (s->bit == bit)
    take_effect(s, op);
  else
    s->waiting[bit][s->nwaiting[bit]++] = op;
}

static bool flip(struct set_monitor *s) {
  struct set_heap *h = &s->flips[!s->bit];
  if (!h->n)
    return false;
  s->bit = !s->bit;
  take_effect(s, heap_take(h));
  for (uint32_t i = 0; i < s->nwaiting[s->bit]; i++)
    take_effect(s, s->waiting[s->bit][i]);
  s->nwaiting[s->bit] = 0;
  return true;
}

/* The last operation before place `end` of the core that flipped the bit to
 * `bit` and had returned by then. */
static uint32_t last_flip(const struct monitor *m, uint32_t end, uint32_t bit) {
  const uint32_t *core = m->out->core.at;
  for (uint32_t i = end; i--;) {
    uint32_t leaves;
    if (wants(&m->p->ops[core[i]], &leaves) == FLIPS && leaves == bit &&
        m->res[core[i]] < m->inv[core[end]])
      return i;
  }
  return MONITOR_NONE;
}

/* Whether the core from place `from` on, with the last flips before it, is a
 * violation for the same reason; then that becomes the core. */
static bool shorten(struct monitor *m, uint32_t from) {
  struct log_answer *out = m->out;
  uint32_t flips[2] = {last_flip(m, from, 0), last_flip(m, from, 1)}, n = 0;
  struct log_problem q = *m->p;
  struct log_answer a = {0};
  const char *why;
  uint32_t *some = xmalloc(out->core.len * sizeof *some);
  q.ops = xmalloc(out->core.len * sizeof *q.ops);
  for (uint32_t i = 0; i < out->core.len; i++)
    if (i >= from || i == flips[0] || i == flips[1]) {
      q.ops[n] = m->p->ops[out->core.at[i]];
      some[n++] = out->core.at[i];
    }
  q.nops = n;
  bool bad = check_monitor(&q, &a, &why) && a.verdict == LOG_VIOLATION &&
             !strcmp(a.reason, m->out->reason);
  if (bad) {
    out->core.len = a.core.len;
    for (uint32_t i = 0; i < a.core.len; i++)
      out->core.at[i] = some[a.core.at[i]];
  }
  log_answer_free(&a);
  free(q.ops);
  free(some);
  return bad;
}

enum { FEW = 6 };

/* The violation.  The core is all that was called before the return of `op`,
 * since the same steps lead to the same end; mostly the last ones are enough.
 */
static enum monitor_ending cannot_be(struct set_monitor *s, uint32_t op) {
  struct monitor *m = s->m;
  for (uint32_t i = 0; i < m->p->nops && m->inv[i] < m->res[op]; i++)
    if (!monitor_is_idle(&m->p->ops[i]))
      monitor_blame(m, i);
  datum d = m->p->ops[op].arg[0];
  monitor_say(m,
              s->bit ? "%o, but %v was there and nobody can have removed it"
                     : "%o, but %v was not there and nobody can have added it",
              op, d);
  uint32_t all = m->out->core.len;
  for (uint32_t last = FEW; last < all / 2; last *= 2)
    if (shorten(m, all - last))
      break;
  return MONITOR_NO;
}

static enum monitor_ending returned(struct set_monitor *s, uint32_t op) {
  while (!s->done[op])
    if (!flip(s))
      return cannot_be(s, op);
  return MONITOR_YES;
}

static enum monitor_ending look_at_roles(struct monitor *m) {
  datum element = DATUM_NONE;
  for (uint32_t i = 0; i < m->p->nops; i++) {
    const struct type_op *o = &m->p->ops[i];
    if (monitor_is_idle(o))
      continue;
    if (o->role != ROLE_INSERT && o->role != ROLE_DELETE &&
        o->role != ROLE_CONTAINS)
      return monitor_refuse(m, "the history has operations on the whole set");
    /* Not the key: one of a keyed-set is a whole set. */
    if (element == DATUM_NONE)
      element = o->arg[0];
    if (o->arg[0] != element)
      return monitor_refuse(m, "the history is not split by element");
    bool flag = o->result == DATUM_TRUE || o->result == DATUM_FALSE;
    if (m->res[i] != MONITOR_NEVER && !flag)
      return monitor_refuse(
          m, "the history does not tell whether an operation changed the set");
  }
  return MONITOR_YES;
}

static void set_init(struct set_monitor *s, struct monitor *m) {
  size_t n = (size_t)m->p->nops + 1;
  *s = (struct set_monitor){.m = m, .done = monitor_zeroed(m, n, 1)};
  for (int bit = 0; bit < 2; bit++) {
    s->waiting[bit] = monitor_room(m, n, sizeof *s->waiting[bit]);
    s->flips[bit].at = monitor_room(m, n, sizeof *s->flips[bit].at);
  }
}

/* The operations that returned, by return. */
static struct by_time *returns(struct monitor *m, uint32_t *n) {
  struct by_time *a = monitor_room(m, (size_t)m->p->nops + 1, sizeof *a);
  for (uint32_t i = 0; i < m->p->nops; i++)
    if (m->res[i] != MONITOR_NEVER)
      a[(*n)++] = (struct by_time){m->res[i], i};
  by_time_sort(m, a, *n);
  return a;
}

enum monitor_ending monitor_set(struct monitor *m) {
  struct set_monitor s;
  uint32_t n = 0, k = 0;
  enum monitor_ending e = look_at_roles(m);
  if (e != MONITOR_YES)
    return e;
  set_init(&s, m);
  struct by_time *ret = returns(m, &n);
  for (uint32_t i = 0; i < m->p->nops; i++) {
    for (; k < n && ret[k].time < m->inv[i] && e == MONITOR_YES; k++)
      e = returned(&s, ret[k].id);
    if (e != MONITOR_YES)
      return e;
    called(&s, i);
  }
  for (; k < n && e == MONITOR_YES; k++)
    e = returned(&s, ret[k].id);
  m->has_order = m->want_order;
  return e;
}

enum monitor_ending monitor_multiset(struct monitor *m) {
  uint32_t adds = 0;
  for (uint32_t i = 0; i < m->p->nops; i++)
    adds += m->p->ops[i].role == ROLE_INSERT;
  if (adds > 1)
    return monitor_refuse(m, "an element was added twice");
  return monitor_set(m);
}
