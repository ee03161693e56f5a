/*
 * RC11 by steps: a machine with views (Kang et al., "A promising semantics",
 * POPL 2017, without promises; its writes are messages and its views say which
 * of them a thread knows).  A read takes any write that is not older than what
 * its thread knows of the location, a write any place behind that but between a
 * write and the read-modify-write that took it.  A release write carries the
 * view of its thread, a relaxed one that of the last release fence, and what an
 * acquire read or a later acquire fence finds is joined.
 *
 * Beside each view goes a vector clock of events, for races and for the axiom
 * of seq_cst, which is asked of whole graphs: events are taken away that no
 * edge of psc leads to, until none is left.
 */
#include "oracle/rc11.h"

#include "base/map128.h"

#include <assert.h>
#include <string.h>

enum { MOST = RC11_PARTS * RC11_STATEMENTS + RC11_LOCATIONS };

/* What is known: the newest write of each location, and how many events of
 * each part. */
struct known {
  uint8_t write[RC11_LOCATIONS], events[RC11_PARTS];
};

struct node {
  uint8_t part, statement, number; /* in its part, from 1 */
  uint8_t location, source, value;
  bool reads, writes, plain, sc;
  struct known upto;    /* with itself */
  struct known carries; /* of a write */
};

struct machine {
  struct node at[MOST];
  uint8_t n;
  uint8_t mo[RC11_LOCATIONS][MOST], nmo[RC11_LOCATIONS];
  uint8_t reg[RC11_REGISTERS];
  struct part {
    uint8_t next, nevents;
    struct known now, found, released;
  } part[RC11_PARTS];
};

struct stepper {
  const struct rc11_program *p;
  const struct rc11_rules *rules;
  struct rc11_found *found;
  struct map128 seen;
  uint32_t steps;
};

static unsigned place_of(const struct machine *m, uint8_t write) {
  unsigned l = m->at[write].location, i = 0;
  while (m->mo[l][i] != write)
    i++;
  return i;
}

static void join(const struct machine *m, struct known *a,
                 const struct known *b) {
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    if (m->nmo[l] && place_of(m, b->write[l]) > place_of(m, a->write[l]))
      a->write[l] = b->write[l];
  for (unsigned i = 0; i < RC11_PARTS; i++)
    if (b->events[i] > a->events[i])
      a->events[i] = b->events[i];
}

static void learn(const struct machine *m, struct known *k, uint8_t write) {
  unsigned l = m->at[write].location;
  if (place_of(m, write) > place_of(m, k->write[l]))
    k->write[l] = write;
}

static bool acquires(enum rc11_order o) {
  return o == RC11_ACQUIRE || o == RC11_ACQ_REL || o == RC11_SC;
}
static bool releases(enum rc11_order o) {
  return o == RC11_RELEASE || o == RC11_ACQ_REL || o == RC11_SC;
}

/* ---- the axiom of seq_cst ---- */

static bool is_initial(const struct node *a) { return a->part == RC11_NONE; }

static bool sequenced(const struct stepper *x, const struct node *a,
                      const struct node *b) {
  if (is_initial(a) || is_initial(b))
    return is_initial(a) && !is_initial(b);
  if (a->part == b->part)
    return a->number < b->number;
  return a->part == 0 || b->part == rc11_last(x->p);
}

static bool happens_before(const struct node *a, const struct node *b) {
  if (is_initial(a) || is_initial(b))
    return is_initial(a) && !is_initial(b);
  return a != b && b->upto.events[a->part] >= a->number;
}

static bool same_place(const struct node *a, const struct node *b) {
  return a->location != RC11_NONE && a->location == b->location;
}

/* The place in mo of what an access writes or else reads. */
static unsigned stands(const struct machine *m, const struct node *a) {
  return place_of(m, a->writes ? (uint8_t)(a - m->at) : a->source);
}

/* Coherence-ordered before, by mo alone or with what is read. */
static bool coherence_before(const struct machine *m, const struct node *a,
                             const struct node *b) {
  if (a == b || !same_place(a, b))
    return false;
  unsigned i = stands(m, a), k = stands(m, b);
  return i < k || (i == k && a->writes && !b->writes);
}
static bool before_write(const struct machine *m, const struct node *a,
                         const struct node *b) {
  return b->writes && coherence_before(m, a, b);
}

/* sb|≠loc;hb;sb|≠loc */
static bool around(const struct stepper *x, const struct machine *m,
                   const struct node *a, const struct node *b) {
  for (const struct node *c = m->at; c < m->at + m->n; c++)
    if (sequenced(x, a, c) && !same_place(a, c))
      for (const struct node *d = m->at; d < m->at + m->n; d++)
        if (happens_before(c, d) && sequenced(x, d, b) && !same_place(d, b))
          return true;
  return false;
}

static bool scb(const struct stepper *x, const struct machine *m,
                const struct node *a, const struct node *b) {
  return sequenced(x, a, b) || (same_place(a, b) && happens_before(a, b)) ||
         before_write(m, a, b) || around(x, m, a, b);
}

static bool is_fence(const struct node *a) { return a->location == RC11_NONE; }

/* psc of two seq_cst events. */
static bool psc(const struct machine *m, const bool (*before)[MOST],
                const struct node *a, const struct node *b) {
  bool f = is_fence(a) && is_fence(b);
  if (f && happens_before(a, b))
    return true;
  for (unsigned c = 0; c < m->n; c++) {
    const struct node *from = &m->at[c];
    if (from != a && !(is_fence(a) && happens_before(a, from)))
      continue;
    for (unsigned d = 0; d < m->n; d++) {
      const struct node *to = &m->at[d];
      if (to != b && !(is_fence(b) && happens_before(to, b)))
        continue;
      if (before[c][d] ||
          (f && from != a && to != b && coherence_before(m, from, to)))
        return true;
    }
  }
  return false;
}

static bool sc_has_an_order(const struct stepper *x, const struct machine *m) {
  static bool before[MOST][MOST];
  uint8_t left[MOST];
  unsigned n = 0;
  for (uint8_t i = 0; i < m->n; i++)
    if (m->at[i].sc)
      left[n++] = i;
  if (!n)
    return true;
  for (unsigned i = 0; i < m->n; i++)
    for (unsigned k = 0; k < m->n; k++)
      before[i][k] = scb(x, m, &m->at[i], &m->at[k]);
  for (;;) {
    unsigned first = 0;
    for (; first < n; first++) {
      bool led_to = false;
      for (unsigned i = 0; i < n && !led_to; i++)
        led_to = psc(m, before, &m->at[left[i]], &m->at[left[first]]);
      if (!led_to)
        break;
    }
    if (first == n)
      return false; /* each of them comes after another one */
    left[first] = left[--n];
    if (!n)
      return true;
  }
}

/* ---- graphs ---- */

static void key_of(const struct machine *m, struct rc11_key *key) {
  memset(key, 0, sizeof *key);
  for (unsigned i = 0; i < m->n; i++) {
    const struct node *a = &m->at[i];
    if (is_initial(a))
      continue;
    unsigned k = key->part[a->part].nran++;
    uint8_t *ran = key->part[a->part].ran[k];
    ran[0] = a->statement;
    if (a->reads) {
      ran[1] = m->at[a->source].part;
      ran[2] = m->at[a->source].statement;
    }
  }
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    for (unsigned i = 0; i < m->nmo[l]; i++) {
      key->mo[l].write[i][0] = m->at[m->mo[l][i]].part;
      key->mo[l].write[i][1] = m->at[m->mo[l][i]].statement;
      key->mo[l].n = m->nmo[l];
    }
}

static void finish(struct stepper *x, const struct machine *m) {
  struct rc11_key key;
  struct rc11_outcome o = {0};
  if (!sc_has_an_order(x, m))
    return;
  key_of(m, &key);
  memcpy(o.reg, m->reg, sizeof o.reg);
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    if (m->nmo[l])
      o.memory[l] = m->at[m->mo[l][m->nmo[l] - 1]].value;
  rc11_add(x->found, &key, &o);
  for (const struct node *a = m->at; a < m->at + m->n; a++)
    for (const struct node *b = a + 1; b < m->at + m->n; b++)
      if (!is_initial(a) && a->part != b->part && same_place(a, b) &&
          (a->writes || b->writes) && (a->plain || b->plain) &&
          !happens_before(a, b) && !happens_before(b, a))
        rc11_add_race(x->found,
                      (struct rc11_race){{a->part, b->part},
                                         {a->statement, b->statement}});
}

/* ---- steps ---- */

static void go_on(struct stepper *x, const struct machine *m);

static struct node *grow(struct machine *m, unsigned part, unsigned statement,
                         const struct rc11_statement *s) {
  struct part *t = &m->part[part];
  struct node *a = &m->at[m->n++];
  assert(m->n <= MOST);
  *a = (struct node){.part = (uint8_t)part,
                     .statement = (uint8_t)statement,
                     .number = ++t->nevents,
                     .location = s->location};
  t->now.events[part] = t->nevents;
  t->next = (uint8_t)(statement + 1);
  return a;
}

/* The order that the read of a statement has. */
static enum rc11_order order_of(const struct rc11_statement *s, bool fails) {
  return fails ? s->failure : s->order;
}

/* The event is complete: what it found is known, what it writes carries on. */
static void settle(struct machine *m, struct node *a, enum rc11_order o) {
  struct part *t = &m->part[a->part];
  uint8_t self = (uint8_t)(a - m->at);
  a->plain = o == RC11_PLAIN;
  a->sc = o == RC11_SC;
  if (a->reads) {
    const struct node *from = &m->at[a->source];
    learn(m, &t->now, a->source);
    learn(m, &t->found, a->source);
    if (!a->plain)
      join(m, &t->found, &from->carries);
    if (acquires(o))
      join(m, &t->now, &from->carries);
  }
  if (a->writes) {
    learn(m, &t->now, self);
    learn(m, &t->found, self);
    a->carries = a->plain      ? m->at[0].carries
                 : releases(o) ? t->now
                               : t->released;
    learn(m, &a->carries, self);
    if (a->reads)
      join(m, &a->carries, &m->at[a->source].carries);
  }
  a->upto = t->now;
}

/* A write of `value` right behind place i of its location. */
static void place(struct machine *m, struct node *a, unsigned i,
                  unsigned value) {
  unsigned l = a->location;
  memmove(&m->mo[l][i + 2], &m->mo[l][i + 1],
          (size_t)(m->nmo[l] - i - 1) * sizeof m->mo[l][0]);
  m->mo[l][i + 1] = (uint8_t)(a - m->at);
  m->nmo[l]++;
  a->writes = true;
  a->value = (uint8_t)value;
}

/* Does a read-modify-write stand behind place i? */
static bool is_taken(const struct machine *m, unsigned l, unsigned i) {
  return i + 1 < m->nmo[l] && m->at[m->mo[l][i + 1]].reads;
}

static void step_store(struct stepper *x, const struct machine *m,
                       unsigned part, unsigned at) {
  const struct rc11_statement *s = &x->p->part[part].at[at];
  unsigned l = s->location;
  unsigned i = place_of(m, m->part[part].now.write[l]);
  for (; i < m->nmo[l]; i++) {
    if (is_taken(m, l, i))
      continue;
    struct machine next = *m;
    struct node *a = grow(&next, part, at, s);
    place(&next, a, i, rc11_value(s->value, m->reg));
    settle(&next, a, s->order);
    go_on(x, &next);
  }
}

static void step_read(struct stepper *x, const struct machine *m, unsigned part,
                      unsigned at) {
  const struct rc11_statement *s = &x->p->part[part].at[at];
  unsigned l = s->location;
  unsigned i = place_of(m, m->part[part].now.write[l]);
  bool changes = s->kind != RC11_LOAD && s->kind != RC11_AWAIT;
  for (; i < m->nmo[l]; i++) {
    unsigned v = m->at[m->mo[l][i]].value;
    unsigned stored = changes ? rc11_stored(s, v, m->reg) : RC11_NONE;
    if ((s->kind == RC11_AWAIT && v != rc11_value(s->expected, m->reg)) ||
        (stored != RC11_NONE && is_taken(m, l, i)))
      continue;
    struct machine next = *m;
    struct node *a = grow(&next, part, at, s);
    a->reads = true;
    a->source = m->mo[l][i];
    if (stored != RC11_NONE)
      place(&next, a, i, stored);
    settle(&next, a,
           order_of(s, changes && stored == RC11_NONE &&
                           !x->rules->failure_as_success));
    if (s->into != RC11_NONE)
      next.reg[s->into] = (uint8_t)v;
    go_on(x, &next);
  }
}

static void step_fence(struct stepper *x, const struct machine *m,
                       unsigned part, unsigned at) {
  const struct rc11_statement *s = &x->p->part[part].at[at];
  struct machine next = *m;
  struct part *t = &next.part[part];
  struct node *a = grow(&next, part, at, s);
  a->sc = s->order == RC11_SC;
  if (acquires(s->order))
    join(&next, &t->now, &t->found);
  if (releases(s->order))
    t->released = t->now;
  a->upto = t->now;
  go_on(x, &next);
}

static bool is_over(const struct stepper *x, const struct machine *m,
                    unsigned part) {
  return m->part[part].next >= x->p->part[part].n;
}

/* A part may start: the first one, the threads behind it, the last behind
 * them.  What came before is known to it. */
static bool may_step(const struct stepper *x, const struct machine *m,
                     unsigned part) {
  if (is_over(x, m, part))
    return false;
  for (unsigned i = 0; i <= rc11_last(x->p); i++)
    if ((i == 0 || part == rc11_last(x->p)) && i != part && !is_over(x, m, i))
      return false;
  return true;
}

static void start(const struct stepper *x, struct machine *m, unsigned part) {
  struct part *t = &m->part[part];
  if (part == 0 || t->next || t->nevents)
    return;
  for (unsigned i = 0; i < part; i++)
    if (i == 0 || part == rc11_last(x->p))
      join(m, &t->now, &m->part[i].now);
  t->released = m->at[0].carries;
  t->found = t->now;
}

static void step(struct stepper *x, const struct machine *m, unsigned part) {
  struct machine next = *m;
  unsigned i = m->part[part].next;
  const struct rc11_statement *s = &x->p->part[part].at[i];
  start(x, &next, part);
  switch (s->kind) {
  case RC11_IF:
    next.part[part].next = (uint8_t)rc11_branch(s, i, m->reg);
    go_on(x, &next);
    break;
  case RC11_FENCE:
    step_fence(x, &next, part, i);
    break;
  case RC11_STORE:
    step_store(x, &next, part, i);
    break;
  default:
    step_read(x, &next, part, i);
  }
}

/* The same graph, whatever the order in which it was built, is the same
 * machine; the parts' places tell those behind an if from those before. */
static bool is_new(struct stepper *x, const struct machine *m) {
  struct {
    struct rc11_key key;
    uint8_t next[RC11_PARTS];
  } all;
  bool fresh;
  key_of(m, &all.key);
  for (unsigned i = 0; i < RC11_PARTS; i++)
    all.next[i] = m->part[i].next;
  map128_put(&x->seen, hash128(&all, sizeof all, 0), &fresh);
  return fresh;
}

static void go_on(struct stepper *x, const struct machine *m) {
  bool over = true;
  if (!x->found->all || !is_new(x, m))
    return;
  if (x->rules->most && ++x->steps > x->rules->most) {
    x->found->all = false;
    return;
  }
  for (unsigned i = 0; i <= rc11_last(x->p); i++) {
    over &= is_over(x, m, i);
    if (may_step(x, m, i))
      step(x, m, i);
  }
  if (over)
    finish(x, m);
}

void rc11_steps(const struct rc11_program *p, const struct rc11_rules *rules,
                struct rc11_found *f) {
  static const struct rc11_rules usual;
  struct stepper x = {.p = p, .rules = rules ? rules : &usual, .found = f};
  struct machine m = {0};
  *f = (struct rc11_found){.all = true};
  assert(!x.rules->old_sequences);
  for (uint8_t l = 0; l < RC11_LOCATIONS; l++)
    if (rc11_uses(p, l)) {
      m.mo[l][m.nmo[l]++] = m.n;
      m.at[m.n++] = (struct node){.part = RC11_NONE,
                                  .statement = RC11_NONE,
                                  .location = l,
                                  .writes = true,
                                  .plain = true};
    }
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    for (unsigned i = 0; m.nmo[l] && i < RC11_PARTS; i++)
      m.part[i].now.write[l] = m.mo[l][0];
  for (unsigned i = 0; i < RC11_PARTS; i++)
    m.part[i].found = m.part[i].released = m.part[i].now;
  for (unsigned i = 0; i < m.n; i++)
    m.at[i].carries = m.part[0].now;
  go_on(&x, &m);
  rc11_sort(f);
  map128_free(&x.seen);
}
