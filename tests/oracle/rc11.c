/*
 * RC11 from its axioms.  All that a thread can do, whatever it reads, is listed
 * first; each choice of one list for each thread, of a write for each read and
 * of an order for the writes of each location is a graph, and the axioms say
 * whether it is consistent.  As in the paper, a read-modify-write is a read and
 * a write, which `rmw` joins.
 *
 * What is tried is cut where the choices so far break an axiom already; which
 * axiom, each of these places says.
 */
#include "oracle/rc11.h"

#include <assert.h>
#include <string.h>

enum { MOST_EVENTS = 64, INITIAL = RC11_NONE };

/* ---- relations of events ---- */

struct rel {
  uint64_t row[MOST_EVENTS];
};

static uint64_t bit(unsigned i) { return UINT64_C(1) << i; }
static bool has(const struct rel *r, unsigned a, unsigned b) {
  return r->row[a] >> b & 1;
}

/* ---- events and graphs ---- */

enum event_type { READ, WRITE, FENCE };

struct ev {
  enum event_type type;
  enum rc11_order order;
  bool rmw; /* of a read: the next event is its write; of a write: the last */
  uint8_t part, statement, location, value;
};

/* What a part of the program does when its reads have given these values. */
struct run {
  struct ev at[2 * RC11_STATEMENTS];
  unsigned n;
  uint8_t reg[RC11_REGISTERS];
  uint64_t reads[RC11_LOCATIONS], writes[RC11_LOCATIONS]; /* sets of values */
  bool impossible;
};

struct runs {
  VEC(struct run) of[RC11_PARTS];
  uint64_t writes[RC11_PARTS][RC11_LOCATIONS]; /* of all that there are */
};

struct graph {
  const struct rc11_program *p;
  const struct rc11_rules *rules;
  struct rc11_found *found;
  const struct run *run[RC11_PARTS];
  struct ev e[MOST_EVENTS];
  unsigned n;
  uint8_t source[MOST_EVENTS]; /* of a read: the write */
  uint8_t order[RC11_LOCATIONS][MOST_EVENTS], norder[RC11_LOCATIONS];
  uint64_t reads, writes, fences, at[RC11_LOCATIONS];
  struct rel sb, rf, rmw, hb, mo, rb, eco;
};

/* ---- what a part can do ---- */

struct listing {
  const struct rc11_program *p;
  const struct rc11_rules *rules;
  unsigned part;
  const uint64_t *domain; /* of each location: the values it may hold */
  unsigned highest;       /* no value is above it */
  struct runs *runs;
};

static void add_event(struct run *run, const struct listing *l, unsigned i,
                      enum event_type type, enum rc11_order order, bool rmw,
                      unsigned value) {
  const struct rc11_statement *s = &l->p->part[l->part].at[i];
  if (type == WRITE && value > l->highest) {
    run->impossible = true;
    return;
  }
  run->at[run->n++] =
      (struct ev){type,       order,       rmw,           (uint8_t)l->part,
                  (uint8_t)i, s->location, (uint8_t)value};
  if (type == READ)
    run->reads[s->location] |= bit(value);
  if (type == WRITE)
    run->writes[s->location] |= bit(value);
}

/* The orders of the two events of a read-modify-write. */
static enum rc11_order read_order(enum rc11_order o) {
  return o == RC11_RELEASE   ? RC11_RELAXED
         : o == RC11_ACQ_REL ? RC11_ACQUIRE
                             : o;
}
static enum rc11_order write_order(enum rc11_order o) {
  return o == RC11_ACQUIRE   ? RC11_RELAXED
         : o == RC11_ACQ_REL ? RC11_RELEASE
                             : o;
}

static void list_runs(const struct listing *l, unsigned i, struct run run);

/* Statement i reads v. */
static void list_read(const struct listing *l, unsigned i, struct run run,
                      unsigned v) {
  const struct rc11_statement *s = &l->p->part[l->part].at[i];
  if (s->kind == RC11_AWAIT && v != rc11_value(s->expected, run.reg))
    return;
  if (s->kind == RC11_LOAD || s->kind == RC11_AWAIT) {
    add_event(&run, l, i, READ, s->order, false, v);
  } else {
    unsigned stored = rc11_stored(s, v, run.reg);
    bool fails = stored == RC11_NONE;
    enum rc11_order o =
        fails && !l->rules->failure_as_success ? s->failure : s->order;
    add_event(&run, l, i, READ, read_order(o), !fails, v);
    if (!fails)
      add_event(&run, l, i, WRITE, write_order(o), true, stored);
  }
  if (s->into != RC11_NONE)
    run.reg[s->into] = (uint8_t)v;
  list_runs(l, i + 1, run);
}

static void list_runs(const struct listing *l, unsigned i, struct run run) {
  const struct rc11_statement *s = &l->p->part[l->part].at[i];
  if (run.impossible)
    return;
  if (i >= l->p->part[l->part].n) {
    vec_push(&l->runs->of[l->part], run);
    return;
  }
  switch (s->kind) {
  case RC11_IF:
    list_runs(l, rc11_branch(s, i, run.reg), run);
    break;
  case RC11_FENCE:
    add_event(&run, l, i, FENCE, s->order, false, 0);
    list_runs(l, i + 1, run);
    break;
  case RC11_STORE:
    add_event(&run, l, i, WRITE, s->order, false,
              rc11_value(s->value, run.reg));
    list_runs(l, i + 1, run);
    break;
  default:
    for (unsigned v = 0; v < 64; v++)
      if (l->domain[s->location] >> v & 1)
        list_read(l, i, run, v);
  }
}

/* A value is a constant, to which each statement that adds to what was read has
 * added once at most: sb ∪ rf is acyclic. */
static unsigned highest_value(const struct rc11_program *p) {
  unsigned most = 0, added = 0;
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++) {
      const struct rc11_statement *s = &p->part[i].at[k];
      if (s->kind == RC11_ADD || s->value.reg != RC11_NONE)
        added += s->value.plus;
      else if (s->value.plus > most)
        most = s->value.plus;
    }
  assert(most + added < 64);
  return most + added;
}

static void list_parts(const struct rc11_program *p,
                       const struct rc11_rules *rules, const uint64_t *domain,
                       struct runs *runs) {
  struct listing l = {p, rules, 0, domain, highest_value(p), runs};
  for (; l.part <= rc11_last(p); l.part++) {
    vec_clear(&runs->of[l.part]);
    list_runs(&l, 0, (struct run){0});
  }
}

/* Again and again, until no location has a new value. */
static void list_all(const struct rc11_program *p,
                     const struct rc11_rules *rules, struct runs *runs) {
  uint64_t domain[RC11_LOCATIONS], before[RC11_LOCATIONS];
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    domain[l] = 1;
  do {
    memcpy(before, domain, sizeof domain);
    list_parts(p, rules, domain, runs);
    for (unsigned i = 0; i <= rc11_last(p); i++)
      for (uint32_t k = 0; k < runs->of[i].len; k++)
        for (unsigned l = 0; l < RC11_LOCATIONS; l++) {
          runs->writes[i][l] |= runs->of[i].at[k].writes[l];
          domain[l] |= runs->of[i].at[k].writes[l];
        }
  } while (memcmp(before, domain, sizeof domain));
}

/* ---- operations on relations ---- */

static struct rel unite(const struct graph *g, const struct rel *a,
                        const struct rel *b) {
  struct rel r = {0};
  for (unsigned i = 0; i < g->n; i++)
    r.row[i] = a->row[i] | b->row[i];
  return r;
}

/* a;b */
static struct rel compose(const struct graph *g, const struct rel *a,
                          const struct rel *b) {
  struct rel r = {0};
  for (unsigned i = 0; i < g->n; i++) {
    r.row[i] = 0;
    for (uint64_t rest = a->row[i]; rest; rest &= rest - 1)
      r.row[i] |= b->row[__builtin_ctzll(rest)];
  }
  return r;
}

/* r+ */
static struct rel transitive(const struct graph *g, struct rel r) {
  for (unsigned k = 0; k < g->n; k++)
    for (unsigned i = 0; i < g->n; i++)
      if (has(&r, i, k))
        r.row[i] |= r.row[k];
  return r;
}

/* r? */
static struct rel reflexive(const struct graph *g, struct rel r) {
  for (unsigned i = 0; i < g->n; i++)
    r.row[i] |= bit(i);
  return r;
}

/* [from];r;[to] */
static struct rel between(const struct graph *g, uint64_t from,
                          const struct rel *r, uint64_t to) {
  struct rel s = {0};
  for (unsigned i = 0; i < g->n; i++)
    s.row[i] = from >> i & 1 ? r->row[i] & to : 0;
  return s;
}

static bool irreflexive(const struct graph *g, const struct rel *r) {
  for (unsigned i = 0; i < g->n; i++)
    if (has(r, i, i))
      return false;
  return true;
}

static bool acyclic(const struct graph *g, const struct rel *r) {
  struct rel t = transitive(g, *r);
  return irreflexive(g, &t);
}

/* r|loc, the pairs at one location, and r|≠loc, all others */
static struct rel same_location(const struct graph *g, const struct rel *r) {
  struct rel s = {0};
  for (unsigned i = 0; i < g->n; i++)
    s.row[i] = g->e[i].type == FENCE ? 0 : r->row[i] & g->at[g->e[i].location];
  return s;
}
static struct rel other_location(const struct graph *g, const struct rel *r) {
  struct rel s = {0};
  for (unsigned i = 0; i < g->n; i++)
    s.row[i] = g->e[i].type == FENCE ? r->row[i]
                                     : r->row[i] & ~g->at[g->e[i].location];
  return s;
}

/* The events of at least this order: relaxed < acquire, release < seq_cst. */
static uint64_t at_least(const struct graph *g, enum rc11_order least) {
  uint64_t set = 0;
  for (unsigned i = 0; i < g->n; i++) {
    enum rc11_order o = g->e[i].order;
    bool both = o == RC11_ACQ_REL || o == RC11_SC;
    if (o == least || (both && least < RC11_SC) ||
        (least == RC11_RELAXED && o != RC11_PLAIN))
      set |= bit(i);
  }
  return set;
}

/* ---- the axioms ---- */

/*
 * rs = [W⊒rlx];(rf;rmw)*         C11: [W];sb|loc?;[W⊒rlx];(rf;rmw)*
 * sw = [E⊒rel];([F];sb)?;rs;rf;[R⊒rlx];(sb;[F])?;[E⊒acq]
 * hb = (sb ∪ sw)+
 */
static void find_hb(struct graph *g) {
  static const struct rel none;
  uint64_t all = ~UINT64_C(0), relaxed = at_least(g, RC11_RELAXED);
  struct rel chain = compose(g, &g->rf, &g->rmw);
  chain = reflexive(g, transitive(g, chain));
  struct rel rs = between(g, g->writes & relaxed, &chain, all);
  if (g->rules->old_sequences) {
    struct rel head = same_location(g, &g->sb);
    head = reflexive(g, head);
    head = between(g, g->writes, &head, g->writes & relaxed);
    rs = compose(g, &head, &chain);
  }
  struct rel before = between(g, g->fences, &g->sb, all);
  before = reflexive(g, before);
  struct rel after = between(g, all, &g->sb, g->fences);
  after = reflexive(g, after);
  struct rel read = between(g, all, &g->rf, g->reads & relaxed);
  struct rel sw = compose(g, &before, &rs);
  sw = compose(g, &sw, &read);
  sw = compose(g, &sw, &after);
  sw = between(g, at_least(g, RC11_RELEASE), &sw, at_least(g, RC11_ACQUIRE));
  g->hb = unite(g, &g->sb, &sw);
  g->hb = transitive(g, g->hb);
  g->mo = g->rb = none;
}

/* Coherence: hb;eco? is irreflexive, for eco = (rf ∪ mo ∪ rb)+. */
static bool coherent(struct graph *g) {
  g->eco = unite(g, &g->rf, &g->mo);
  g->eco = unite(g, &g->eco, &g->rb);
  g->eco = transitive(g, g->eco);
  struct rel eco = reflexive(g, g->eco);
  struct rel r = compose(g, &g->hb, &eco);
  return irreflexive(g, &r);
}

/* Atomicity: rmw ∩ (rb;mo) is empty. */
static bool rmws_are_atomic(const struct graph *g) {
  struct rel r = compose(g, &g->rb, &g->mo);
  for (unsigned i = 0; i < g->n; i++)
    if (r.row[i] & g->rmw.row[i])
      return false;
  return true;
}

/*
 * SC: psc_base ∪ psc_F is acyclic, for
 * scb = sb ∪ sb|≠loc;hb;sb|≠loc ∪ hb|loc ∪ mo ∪ rb
 * psc_base = ([Esc] ∪ [Fsc];hb?);scb;([Esc] ∪ hb?;[Fsc])
 * psc_F = [Fsc];(hb ∪ hb;eco;hb);[Fsc]
 */
static bool sc_is_acyclic(const struct graph *g) {
  static const struct rel none;
  uint64_t all = ~UINT64_C(0), sc = at_least(g, RC11_SC);
  if (!sc)
    return true;
  struct rel other = other_location(g, &g->sb);
  struct rel scb = compose(g, &other, &g->hb), r;
  scb = compose(g, &scb, &other);
  scb = unite(g, &scb, &g->sb);
  r = same_location(g, &g->hb);
  scb = unite(g, &scb, &r);
  scb = unite(g, &scb, &g->mo);
  scb = unite(g, &scb, &g->rb);

  struct rel id = reflexive(g, none), hb = reflexive(g, g->hb);
  struct rel from = between(g, sc, &id, sc), to = from;
  r = between(g, sc & g->fences, &hb, all);
  from = unite(g, &from, &r);
  r = between(g, all, &hb, sc & g->fences);
  to = unite(g, &to, &r);
  struct rel base = compose(g, &from, &scb);
  base = compose(g, &base, &to);

  struct rel f = compose(g, &g->hb, &g->eco);
  f = compose(g, &f, &g->hb);
  f = unite(g, &f, &g->hb);
  f = between(g, sc & g->fences, &f, sc & g->fences);
  r = unite(g, &base, &f);
  return acyclic(g, &r);
}

/* No thin air: sb ∪ rf is acyclic. */
static bool nothing_from_thin_air(const struct graph *g) {
  struct rel r = unite(g, &g->sb, &g->rf);
  return acyclic(g, &r);
}

/* ---- a consistent graph ---- */

static void note_races(const struct graph *g) {
  for (unsigned i = 0; i < g->n; i++)
    for (unsigned k = i + 1; k < g->n; k++) {
      const struct ev *a = &g->e[i], *b = &g->e[k];
      if (a->type == FENCE || b->type == FENCE || a->location != b->location ||
          a->part == INITIAL || a->part == b->part ||
          (a->type == READ && b->type == READ) || (a->order && b->order) ||
          has(&g->hb, i, k) || has(&g->hb, k, i))
        continue;
      rc11_add_race(g->found, (struct rc11_race){{a->part, b->part},
                                                 {a->statement, b->statement}});
    }
}

static void note_graph(const struct graph *g) {
  struct rc11_key key = {0};
  struct rc11_outcome o = {0};
  for (unsigned i = 0; i < g->n; i++) {
    const struct ev *e = &g->e[i], *from = &g->e[g->source[i]];
    if (e->part == INITIAL || (e->type == WRITE && e->rmw))
      continue;
    uint8_t *ran = key.part[e->part].ran[key.part[e->part].nran++];
    ran[0] = e->statement;
    ran[1] = e->type == READ ? from->part : 0;
    ran[2] = e->type == READ ? from->statement : 0;
  }
  for (unsigned l = 0; l < RC11_LOCATIONS; l++) {
    key.mo[l].n = g->norder[l];
    for (unsigned i = 0; i < g->norder[l]; i++) {
      const struct ev *e = &g->e[g->order[l][i]];
      key.mo[l].write[i][0] = e->part;
      key.mo[l].write[i][1] = e->statement;
      o.memory[l] = e->value;
    }
  }
  for (unsigned r = 0; r < RC11_REGISTERS; r++) {
    unsigned part = rc11_owner(g->p, r);
    o.reg[r] = part == RC11_NONE ? 0 : g->run[part]->reg[r];
  }
  rc11_add(g->found, &key, &o);
  note_races(g);
}

/* ---- all graphs ---- */

static bool enough(const struct graph *g) { return !g->found->all; }

/* mo and rb of one location, from the order of its writes. */
static void relate(struct graph *g, unsigned l) {
  uint64_t later = 0;
  for (unsigned i = g->norder[l]; i-- > 0;) {
    unsigned w = g->order[l][i];
    g->mo.row[w] = later;
    for (uint64_t rest = g->rf.row[w]; rest; rest &= rest - 1) {
      unsigned r = (unsigned)__builtin_ctzll(rest);
      g->rb.row[r] = later;
    }
    later |= bit(w);
  }
}

static void unrelate(struct graph *g, unsigned l) {
  for (uint64_t rest = g->at[l]; rest; rest &= rest - 1) {
    unsigned i = (unsigned)__builtin_ctzll(rest);
    g->mo.row[i] = g->rb.row[i] = 0;
  }
}

static void choose_mo(struct graph *g, unsigned l);

/* May write w come next at location l?  Not, by coherence, before one that
 * happens before it, nor, by atomicity, elsewhere than behind what its
 * read-modify-write read. */
static bool may_come(const struct graph *g, unsigned l, uint64_t left,
                     unsigned w) {
  for (; left; left &= left - 1)
    if (has(&g->hb, (unsigned)__builtin_ctzll(left), w))
      return false;
  return !g->e[w].rmw ||
         (g->norder[l] && g->source[w - 1] == g->order[l][g->norder[l] - 1]);
}

/* Takes the next write of location l. */
static void choose_next(struct graph *g, unsigned l, uint64_t left) {
  if (!left) {
    relate(g, l);
    if (coherent(g) && rmws_are_atomic(g)) /* the locations so far */
      choose_mo(g, l + 1);
    unrelate(g, l);
    return;
  }
  for (uint64_t rest = left; rest && !enough(g); rest &= rest - 1) {
    unsigned w = (unsigned)__builtin_ctzll(rest);
    if (!may_come(g, l, left, w))
      continue;
    g->order[l][g->norder[l]++] = (uint8_t)w;
    choose_next(g, l, left & ~bit(w));
    g->norder[l]--;
  }
}

static void choose_mo(struct graph *g, unsigned l) {
  if (enough(g))
    return;
  if (l < RC11_LOCATIONS) {
    g->norder[l] = 0;
    choose_next(g, l, g->at[l] & g->writes);
  } else if (coherent(g) && sc_is_acyclic(g)) {
    if (g->rules->most && g->found->graphs.len >= g->rules->most)
      g->found->all = false;
    else
      note_graph(g);
  }
}

/* By atomicity, not two read-modify-writes read one write. */
static bool is_taken(const struct graph *g, unsigned w) {
  for (uint64_t rest = g->rf.row[w]; rest; rest &= rest - 1)
    if (g->e[__builtin_ctzll(rest)].rmw)
      return true;
  return false;
}

/* Chooses a write for each read from event i on. */
static void choose_rf(struct graph *g, unsigned i) {
  while (i < g->n && g->e[i].type != READ)
    i++;
  if (i == g->n) {
    if (!nothing_from_thin_air(g))
      return;
    find_hb(g);
    choose_mo(g, 0);
    return;
  }
  for (unsigned w = 0; w < g->n && !enough(g); w++) {
    if (g->e[w].type != WRITE || g->e[w].location != g->e[i].location ||
        g->e[w].value != g->e[i].value || has(&g->sb, i, w) ||
        (g->e[i].rmw && is_taken(g, w)))
      continue; /* has(): sb ∪ rf */
    g->source[i] = (uint8_t)w;
    g->rf.row[w] |= bit(i);
    choose_rf(g, i + 1);
    g->rf.row[w] &= ~bit(i);
  }
}

/* Is a before b in its thread, or by the creation of threads and their ends? */
static bool is_before(const struct rc11_program *p, const struct ev *a,
                      const struct ev *b, bool earlier) {
  if (a->part == b->part)
    return earlier && a->part != INITIAL;
  return a->part == INITIAL ||
         (b->part != INITIAL && (a->part == 0 || b->part == rc11_last(p)));
}

static void make_graph(struct graph *g) {
  static const struct rel none;
  g->n = 0;
  for (uint8_t l = 0; l < RC11_LOCATIONS; l++)
    if (rc11_uses(g->p, l))
      g->e[g->n++] =
          (struct ev){WRITE, RC11_PLAIN, false, INITIAL, INITIAL, l, 0};
  for (unsigned i = 0; i <= rc11_last(g->p); i++)
    for (unsigned k = 0; k < g->run[i]->n; k++) {
      assert(g->n < MOST_EVENTS);
      g->e[g->n++] = g->run[i]->at[k];
    }
  g->reads = g->writes = g->fences = 0;
  g->sb = g->rf = g->rmw = none;
  memset(g->at, 0, sizeof g->at);
  for (unsigned i = 0; i < g->n; i++) {
    const struct ev *e = &g->e[i];
    *(e->type == READ    ? &g->reads
      : e->type == WRITE ? &g->writes
                         : &g->fences) |= bit(i);
    if (e->type != FENCE)
      g->at[e->location] |= bit(i);
    if (e->type == READ && e->rmw)
      g->rmw.row[i] = bit(i + 1);
    for (unsigned k = 0; k < g->n; k++)
      if (is_before(g->p, e, &g->e[k], i < k))
        g->sb.row[i] |= bit(k);
  }
}

/* Does somebody write each value that is read, as far as is known? */
static bool all_is_written(const struct graph *g, const struct runs *runs,
                           unsigned known) {
  for (unsigned l = 0; l < RC11_LOCATIONS; l++) {
    uint64_t reads = 0, writes = 1;
    for (unsigned i = 0; i <= rc11_last(g->p); i++) {
      reads |= i < known ? g->run[i]->reads[l] : 0;
      writes |= i < known ? g->run[i]->writes[l] : runs->writes[i][l];
    }
    if (reads & ~writes)
      return false;
  }
  return true;
}

/* Chooses what each part does. */
static void choose_runs(struct graph *g, const struct runs *runs,
                        unsigned part) {
  if (!all_is_written(g, runs, part))
    return;
  if (part > rc11_last(g->p)) {
    make_graph(g);
    choose_rf(g, 0);
    return;
  }
  for (uint32_t i = 0; i < runs->of[part].len && !enough(g); i++) {
    g->run[part] = &runs->of[part].at[i];
    choose_runs(g, runs, part + 1);
  }
}

void rc11_graphs(const struct rc11_program *p, const struct rc11_rules *rules,
                 struct rc11_found *f) {
  static const struct rc11_rules usual;
  struct runs runs = {0};
  struct graph *g = xcalloc(1, sizeof *g);
  *f = (struct rc11_found){.all = true};
  g->p = p;
  g->rules = rules ? rules : &usual;
  g->found = f;
  list_all(p, g->rules, &runs);
  choose_runs(g, &runs, 0);
  rc11_sort(f);
  for (unsigned i = 0; i < RC11_PARTS; i++)
    vec_free(&runs.of[i]);
  free(g);
}

/* ---- what was found ---- */

void rc11_add(struct rc11_found *f, const struct rc11_key *k,
              const struct rc11_outcome *o) {
  vec_push(&f->graphs, hash128(k, sizeof *k, 0));
  if (!rc11_has_outcome(f, o))
    vec_push(&f->outcomes, *o);
}

void rc11_add_race(struct rc11_found *f, struct rc11_race r) {
  if (r.part[0] > r.part[1])
    r = (struct rc11_race){{r.part[1], r.part[0]},
                           {r.statement[1], r.statement[0]}};
  if (!rc11_has_race(f, &r))
    vec_push(&f->races, r);
}

static int by_hash(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct hash128));
}
static int by_outcome(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct rc11_outcome));
}
static int by_race(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct rc11_race));
}

void rc11_sort(struct rc11_found *f) {
  if (f->graphs.len)
    qsort(f->graphs.at, f->graphs.len, sizeof *f->graphs.at, by_hash);
  if (f->outcomes.len)
    qsort(f->outcomes.at, f->outcomes.len, sizeof *f->outcomes.at, by_outcome);
  if (f->races.len)
    qsort(f->races.at, f->races.len, sizeof *f->races.at, by_race);
}

bool rc11_has_outcome(const struct rc11_found *f,
                      const struct rc11_outcome *o) {
  for (uint32_t i = 0; i < f->outcomes.len; i++)
    if (!by_outcome(&f->outcomes.at[i], o))
      return true;
  return false;
}

bool rc11_has_race(const struct rc11_found *f, const struct rc11_race *r) {
  for (uint32_t i = 0; i < f->races.len; i++)
    if (!by_race(&f->races.at[i], r))
      return true;
  return false;
}

void rc11_free(struct rc11_found *f) {
  vec_free(&f->graphs);
  vec_free(&f->outcomes);
  vec_free(&f->races);
}
