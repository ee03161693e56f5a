/*
 * The linearizability depth of a history ("Checking Linearizability Using
 * Hitting Families", Definition 4.2): the smallest d with operations x0 …
 * x(d-1) such that every schedule that strongly hits them is a witness.
 *
 * up(x) is x with all operations that x precedes in the history, and U(i) is
 * what up(xi), …, up(x(d-1)) have together.  By Definition 4.1 a schedule
 * strongly hits the tuple if only operations of U(i) come at or after xi.  An
 * element that is in up() of a later one changes nothing and can be left out.
 * Without such elements the schedules that strongly hit the tuple are
 *
 *   all but U(0);  x0, the rest of U(0) without U(1);  x1, …;  x(d-1), the rest
 *
 * with each of these stretches in any order that real time allows.  What has
 * come before a stretch is a prefix: with each operation it has all that
 * precede it.  So the depth is the length of a shortest path of prefixes
 *
 *   P(0) ⊂ P(1) ⊂ … ⊂ P(d) = all operations
 *
 * such that each P(i + 1) \ P(i) has one operation xi that precedes all others
 * of it, and no schedule along the path gives an operation another result.  A
 * node of the path is a prefix and its outcomes: the states after all schedules
 * up to there (hitting_sets.h).
 *
 *   T1: pop()=null   T2: pop()=1   T3: push(1)    all three concurrent
 *   depth 2: {pop()=null} ⊂ that and push(1) ⊂ all, which delays push(1), then
 *   pop()=1
 *
 * The search is A*: a prefix after which n operations can come next needs n
 * more elements, since no element can stand for two of them, and each element
 * takes away at most one of them.
 *
 * A pending operation may have taken effect: the depth is the smallest one of
 * the histories in which some of the pending operations return last and the
 * others are left out.  Of pending operations that only read all are left out:
 * they precede nothing, so that a tuple is as good without them.
 *
 * tests/agree/depth_brute.c compares with the definition.
 */
#include "history/hitting/hitting.h"
#include "history/hitting/hitting_prefix.h"
#include "history/hitting/hitting_sets.h"

#include <assert.h>
#include <stdlib.h>

#define NO_ENTRY UINT32_MAX
enum { MOST_PENDING = 6 };

/* ---- the search ---- */

static struct hash128 prefix_key(const struct depth_prefix *p) {
  uint64_t key[] = {p->open, p->layer};
  return hash128(key, sizeof key, 0);
}

struct depth_entry { /* a node that a path has reached */
  struct depth_prefix at;
  uint32_t outcomes;
  uint32_t elements; /* of the path */
  uint32_t x, from;  /* the last element and the node before it */
  uint32_t same;     /* the next entry with this prefix */
  uint32_t below;    /* the next one of its bucket */
  bool dominated;
};

struct depth_step { /* a prefix inside of a stretch */
  struct depth_prefix at;
  uint32_t outcomes;
  uint32_t last_call; /* of the stretch */
  uint32_t reached;   /* from so many prefixes with one operation less */
  bool fails;         /* one of these allows a schedule that is no witness */
};

struct depth_search {
  struct depth_ops ops;
  struct hitting_outcomes outcomes;
  struct meter *meter;
  VEC(struct depth_entry) entries;
  struct map128 at;      /* prefix → its entries */
  VEC(uint32_t) buckets; /* by elements and those that are still needed */
  uint32_t least;        /* no path has fewer elements than that */
  VEC(struct depth_step) steps, next;
  struct map128 found; /* prefixes of `next` */
};

/* Whether another entry is as good; marks those that this one is better than.
 */
static bool is_dominated(struct depth_search *s, uint32_t *head,
                         const struct depth_entry *e) {
  for (uint32_t i = *head; i != NO_ENTRY; i = s->entries.at[i].same) {
    struct depth_entry *other = &s->entries.at[i];
    if (other->elements <= e->elements &&
        outcomes_include(&s->outcomes, e->outcomes, other->outcomes))
      return true;
    if (e->elements <= other->elements &&
        outcomes_include(&s->outcomes, other->outcomes, e->outcomes))
      other->dominated = true;
  }
  return false;
}

static void add_entry(struct depth_search *s, struct depth_entry e) {
  bool fresh;
  uint32_t *head = map128_put(&s->at, prefix_key(&e.at), &fresh);
  uint32_t id = s->entries.len;
  if (fresh)
    *head = NO_ENTRY;
  if (is_dominated(s, head, &e))
    return;
  e.same = *head;
  *head = id;
  uint32_t bucket = e.elements + prefix_width(&s->ops, &e.at);
  assert(bucket >= s->least && bucket < s->buckets.len); /* as A* wants it */
  e.below = s->buckets.at[bucket];
  s->buckets.at[bucket] = id;
  vec_push(&s->entries, e);
}

/* Operations of the prefix behind `base` after which none of these comes. */
static uint32_t count_last(const struct depth_search *s,
                           const struct depth_step *t,
                           const struct depth_prefix *base) {
  const struct depth_ops *o = &s->ops;
  uint32_t n = 0;
  for (uint32_t k = t->at.layer; k-- > 0;) {
    if (o->ret[o->returns[k]] <= t->last_call)
      break;
    n += !prefix_has(o, base, o->returns[k]);
  }
  for (uint32_t i = o->first[t->at.layer]; i < o->first[t->at.layer + 1]; i++) {
    uint32_t op = o->callable.at[i];
    n += (t->at.open >> o->slot[op] & 1) && !prefix_has(o, base, op);
  }
  return n;
}

/* The operation comes next, after all schedules of the step; NO_OUTCOMES: not
 * after all of them. */
static uint32_t place(struct depth_search *s, const struct depth_prefix *at,
                      uint32_t outcomes, uint32_t op) {
  uint64_t hint = s->ops.hint[op];
  if (hint != LOG_NO_HINT && hint < at->hint)
    return NO_OUTCOMES;
  return outcomes_after(&s->outcomes, outcomes, s->ops.op[op]);
}

static void extend_step(struct depth_search *s, const struct depth_step *from,
                        uint32_t op) {
  bool fresh;
  struct depth_prefix at = prefix_with(&s->ops, from->at, op);
  uint32_t *index = map128_put(&s->found, prefix_key(&at), &fresh);
  uint32_t outcomes = place(s, &from->at, from->outcomes, op);
  if (fresh) {
    *index = s->next.len;
    vec_push(&s->next,
             ((struct depth_step){.at = at, .outcomes = NO_OUTCOMES}));
  }
  struct depth_step *t = &s->next.at[*index];
  t->reached++;
  if (s->ops.call[op] > t->last_call)
    t->last_call = s->ops.call[op];
  if (from->last_call > t->last_call)
    t->last_call = from->last_call;
  if (outcomes == NO_OUTCOMES)
    t->fails = true;
  else if (t->outcomes == NO_OUTCOMES)
    t->outcomes = outcomes;
  else
    t->outcomes = outcomes_union(&s->outcomes, t->outcomes, outcomes);
  s->meter->steps++;
}

static bool may_go_on(struct depth_search *s) {
  uint64_t bytes = outcomes_bytes(&s->outcomes) + map128_bytes_soon(&s->at) +
                   map128_bytes_soon(&s->found) +
                   s->entries.cap * sizeof *s->entries.at;
  return !meter_is_due(s->meter) ||
         meter_look(s->meter, s->outcomes.p->type, bytes);
}

/*
 * Enters the prefixes that end a stretch after `e`: x and operations that it
 * precedes, or, when x is NO_OP, any.  The prefixes of a stretch are made by
 * their sizes.  One is good, so that no schedule through the stretch gives
 * another result up to there, if each prefix with one operation less is good
 * and the operation can come next.  False: the budget has ended.
 */
static bool enter_stretches(struct depth_search *s, uint32_t from,
                            struct depth_entry e, uint32_t x) {
  const struct depth_ops *o = &s->ops;
  struct depth_step first = {.at = e.at, .outcomes = e.outcomes};
  vec_clear(&s->steps);
  if (x != NO_OP) {
    first.outcomes = place(s, &e.at, e.outcomes, x);
    first.at = prefix_with(o, e.at, x);
    first.last_call = o->call[x];
    if (first.outcomes == NO_OUTCOMES)
      return true;
  }
  vec_push(&s->steps, first);
  while (s->steps.len) {
    map128_clear(&s->found);
    vec_clear(&s->next);
    for (uint32_t i = 0; i < s->steps.len; i++) {
      const struct depth_step *t = &s->steps.at[i];
      if (x != NO_OP || t->at.layer < o->n)
        add_entry(s, (struct depth_entry){.at = t->at,
                                          .outcomes = t->outcomes,
                                          .elements = e.elements + (x != NO_OP),
                                          .x = x,
                                          .from = from});
      uint32_t op, at = prefix_start(o, &t->at);
      while ((op = prefix_next(o, &t->at, &at)) != NO_OP)
        if (x == NO_OP || o->ret[x] < o->call[op])
          extend_step(s, t, op);
      if (!may_go_on(s))
        return false;
    }
    vec_clear(&s->steps);
    for (uint32_t i = 0; i < s->next.len; i++) {
      const struct depth_step *t = &s->next.at[i];
      if (!t->fails && t->reached == count_last(s, t, &e.at))
        vec_push(&s->steps, *t);
    }
  }
  return true;
}

/* The last node of a shortest path if it has at most `most` elements, else
 * NO_ENTRY; then s->least is the number of elements of which all was tried, and
 * one more, unless the budget has ended. */
static uint32_t shortest_path(struct depth_search *s, uint32_t most) {
  for (; s->least <= most && s->least < s->buckets.len; s->least++) {
    uint32_t id;
    while ((id = s->buckets.at[s->least]) != NO_ENTRY) {
      struct depth_entry e = s->entries.at[id];
      s->buckets.at[s->least] = e.below;
      if (e.dominated)
        continue;
      if (e.at.layer == s->ops.n)
        return id;
      uint32_t x, at = prefix_start(&s->ops, &e.at);
      while ((x = prefix_next(&s->ops, &e.at, &at)) != NO_OP)
        if (!enter_stretches(s, id, e, x))
          return NO_ENTRY;
    }
  }
  return NO_ENTRY;
}

/* False: it cannot be searched. */
static bool search_open(struct depth_search *s, const struct log_problem *p,
                        uint32_t completed, struct meter *meter) {
  *s = (struct depth_search){.meter = meter, .least = 1};
  s->outcomes.p = p;
  s->outcomes.meter = meter;
  if (!ops_open(&s->ops, p, completed))
    return false;
  for (uint32_t i = 0; i <= s->ops.n; i++)
    vec_push(&s->buckets, NO_ENTRY);
  struct depth_entry start = {.outcomes = outcomes_initial(&s->outcomes)};
  if (s->ops.n)
    enter_stretches(s, NO_ENTRY, start, NO_OP);
  return true;
}

static void search_close(struct depth_search *s) {
  ops_close(&s->ops);
  outcomes_free(&s->outcomes);
  vec_free(&s->entries);
  vec_free(&s->buckets);
  vec_free(&s->steps);
  vec_free(&s->next);
  map128_free(&s->at);
  map128_free(&s->found);
}

/* ---- the answer ---- */

/* Whether the operation is one of the tuple's from i on, or behind one. */
static bool is_delayed(const struct depth_ops *o, const uint32_t *tuple,
                       uint32_t d, uint32_t i, uint32_t op) {
  for (; i < d; i++)
    if (tuple[i] == op || o->ret[tuple[i]] < o->call[op])
      return true;
  return false;
}

/* One of the schedules that strongly hit the tuple. */
static void put_order(const struct depth_ops *o, const uint32_t *tuple,
                      uint32_t d, struct linear_depth *out) {
  uint8_t *placed = xcalloc(o->n, 1);
  for (uint32_t i = 0; i <= d; i++) {
    for (uint32_t op = 0; op < o->n; op++)
      if (!placed[op] && !is_delayed(o, tuple, d, i, op)) {
        placed[op] = 1;
        vec_push(&out->order, o->op[op]);
      }
    if (i < d) {
      placed[tuple[i]] = 1;
      vec_push(&out->order, o->op[tuple[i]]);
    }
  }
  assert(out->order.len == o->n);
  free(placed);
}

static void answer(const struct depth_search *s, uint32_t last,
                   struct linear_depth *out) {
  const struct depth_ops *o = &s->ops;
  uint32_t d = s->entries.at[last].elements;
  uint32_t *tuple = xcalloc(d, sizeof *tuple);
  for (uint32_t i = d, at = last; i-- > 0; at = s->entries.at[at].from)
    tuple[i] = s->entries.at[at].x;
  put_order(o, tuple, d, out);
  for (uint32_t i = 0; i < d; i++)
    vec_push(&out->tuple, o->op[tuple[i]]);
  for (uint32_t i = 0; i < o->n; i++)
    if (op_is_pending(&s->outcomes.p->ops[o->op[i]]))
      vec_push(&out->completed, o->op[i]);
  out->depth = d;
  out->beyond = d - 1;
  free(tuple);
}

static void find_depth(struct depth_search *searches, uint32_t n, uint32_t most,
                       struct meter *meter, struct linear_depth *out) {
  bool more = searches[n - 1].ops.n; /* larger depths are possible */
  for (uint32_t d = 1; d <= most && more; d++) {
    more = false;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t last = shortest_path(&searches[i], d);
      if (last != NO_ENTRY) {
        answer(&searches[i], last, out);
        return;
      }
      out->limit = meter->limit;
      if (out->limit)
        return;
      more |= searches[i].least < searches[i].buckets.len;
    }
    out->beyond = d;
  }
  out->limit = more                              ? "--depth"
               : !searches[n - 1].ops.n          ? "no operation has returned"
               : searches->outcomes.p->type->cut ? "next states"
                                                 : "it is not linearizable";
}

void hitting_find_depth(const struct log_problem *p, uint32_t most,
                        uint32_t witness, const struct log_budget *b,
                        struct linear_depth *out) {
  struct meter meter = {.budget = b};
  uint32_t pending = 0, n = 0;
  *out = (struct linear_depth){0};
  for (uint32_t i = 0; i < p->nops; i++)
    pending += is_effectful_pending(&p->ops[i]);
  struct depth_search *searches = NULL;
  if (pending > MOST_PENDING)
    out->limit = "too many operations are pending";
  else
    searches = xcalloc((size_t)1 << pending, sizeof *searches);
  while (!out->limit && n < 1u << pending) {
    if (!search_open(&searches[n], p, n, &meter))
      out->limit = "too many operations are open at one time";
    else if (meter.limit)
      out->limit = meter.limit;
    n++;
  }
  if (!out->limit)
    find_depth(searches, n, most ? most : p->nops, &meter, out);
  for (uint32_t i = 0; i < n; i++)
    search_close(&searches[i]);
  free(searches);
  if (!pending && out->beyond + 1 < witness)
    out->beyond = witness - 1; /* smaller families have none */
  out->steps = meter.steps;
}

void linear_depth_free(struct linear_depth *d) {
  vec_free(&d->tuple);
  vec_free(&d->completed);
  vec_free(&d->order);
}
