/*
 * The pool's side of a campaign: items in, records out.
 *
 * A client is searched completely where it is small enough, else some of its
 * executions are drawn.  What comes out of one does not depend on what was
 * done before: the object is made anew for each item (I1).
 */
#include "cli/hunt_int.h"
#include "cli/item.h"

#include "search/gang.h"
#include "search/generate.h"

#include <stdio.h>

enum { CLIENT_STATES = 20000 }; /* of one client in the sweep */

struct server {
  struct hunt h;
  struct result result; /* of the present record */
  struct generator *g;
  uint64_t next; /* client that the generator gives */
};

int hunt_serve_open(void *arg, struct shared *shared) {
  struct server *s = xcalloc(1, sizeof *s);
  shared->other = s;
  return hunt_open(&s->h, arg, shared, &s->result);
}

static void new_generator(struct server *s) {
  struct hunt *h = &s->h;
  struct gen_limits limits = {.threads = (uint32_t)h->set->threads,
                              .ops = (uint32_t)h->set->ops,
                              .init = (uint32_t)h->set->init,
                              .final = true};
  if (s->g)
    generator_free(s->g);
  s->g = generator_new(&h->object.gen, &limits);
  s->next = 0;
}

/* ---- one record ---- */

static void begin_record(struct server *s, const struct item *i) {
  struct hunt *h = &s->h;
  s->result.statistics = (struct statistics){0};
  s->result.chance = (struct chance){0};
  h->jury.histories = h->jury.undecided = 0;
  h->clients = 0;
  h->timed = i->seconds > 0;
  h->deadline = h->timed ? explore_now() + i->seconds : 0;
  h->counted = i->max_executions != 0;
  h->max_executions = i->max_executions;
  h->shared->share = 0;
  h->shared->work = 0;
}

static void end_record(struct server *s, struct record *r) {
  const struct statistics *t = &s->result.statistics;
  r->executions = t->executions;
  r->cut = t->cut;
  r->blocked = t->blocked;
  r->steps = t->events;
  r->states = t->states;
  r->transitions = t->transitions;
  r->histories = s->h.jury.histories;
  r->undecided = s->h.jury.undecided;
  r->faults = s->h.jury.faults;
  r->chance = s->result.chance;
  r->touched = rt_accesses() != 0;
  r->left_out = rt_left_out();
}

static void take_client(struct server *s, const struct client *c,
                        struct record *r) {
  struct buf b = {0};
  if (!c)
    return;
  client_print(c, &s->h.object.names, &b);
  r->client = xstrdup(buf_text(&b));
  buf_free(&b);
}

static void take_bad(struct server *s, const struct client *c,
                     struct explore *x, struct record *r) {
  r->kind = RECORD_BAD;
  take_client(s, c, r);
  r->bad = x->bad;
  r->switches = x->bad_switches;
  x->bad = (path){0};
}

/* True when there was a bad execution. */
static bool look(struct server *s, const struct client *c, struct explore *x,
                 int search, enum explore_end *end, struct record *r) {
  *end = hunt_explore(&s->h, x, search);
  /* Of a gang that searched everything, the first member knows the best. */
  bool others = x->gang && x->graph && x->all && x->member;
  bool bad = *end == EXPLORE_BAD || (x->all && x->bad.len && !others);
  if (bad)
    take_bad(s, c, x, r);
  vec_free(&x->bad);
  return bad;
}

/* ---- clients of the sweep ---- */

static void set_budget(struct hunt *h, struct explore *x) {
  hunt_explore_init(h, x);
  bool bounded = h->timed || h->counted;
  x->max_states = bounded ? h->set->max_states : CLIENT_STATES;
  x->max_memory = h->set->memory;
  int search = h->set->search;
  if (!search_is_exhaustive(search))
    x->max_executions = hunt_executions_left(h, HUNT_SAMPLES);
  else if (search == SEARCH_DFS || search == SEARCH_DPOR) /* have no states */
    x->max_executions =
        hunt_executions_left(h, bounded ? x->max_states : 10 * CLIENT_STATES);
  else
    x->max_executions = hunt_executions_left(h, 0);
}

static bool draw(struct server *s, const struct client *c, uint64_t seed,
                 int search, uint32_t depth, uint64_t executions,
                 struct record *r) {
  struct explore x;
  enum explore_end end;
  hunt_explore_init(&s->h, &x);
  x.seed = seed;
  x.max_executions = hunt_executions_left(&s->h, executions);
  if (depth)
    x.depth = depth;
  return look(s, c, &x, search, &end, r);
}

/*
 * A client that is too large for all of its interleavings.  Random walks find
 * what has many chances to happen, PCT what needs few constraints in a long
 * execution: half of the executions each.  Bugs of depth 1 need no luck.
 */
static bool sample_client(struct server *s, const struct client *c,
                          uint64_t seed, uint64_t number, struct record *r) {
  int search = s->h.set->search;
  if (!search_is_exhaustive(search))
    return draw(s, c, seed, search, 0, HUNT_SAMPLES, r);
  uint32_t depth = 2 + (uint32_t)(number % 2);
  return draw(s, c, seed, SEARCH_RANDOM, 0, HUNT_SAMPLES / 2, r) ||
         draw(s, c, seed, SEARCH_PCT, depth, HUNT_SAMPLES / 2, r);
}

static bool prepare(struct server *s, const struct client *c,
                    struct record *r) {
  if (hunt_prepare(&s->h, c) == RT_DONE)
    return true;
  r->kind = RECORD_SETUP;
  take_client(s, c, r);
  return false;
}

static void try_client(struct server *s, const struct client *c,
                       uint64_t number, struct record *r) {
  struct hunt *h = &s->h;
  struct explore x;
  r->calls = client_first_final(c);
  if (!prepare(s, c, r))
    return;
  set_budget(h, &x);
  if (look(s, c, &x, h->set->search, &r->end, r))
    return;
  r->exhaustive =
      r->end == EXPLORE_ALL && !x.cut && search_is_exhaustive(h->set->search);
  bool too_large = r->end == EXPLORE_STATES || r->end == EXPLORE_EXECUTIONS ||
                   r->end == EXPLORE_MEMORY;
  if (too_large && hunt_goes_on(h))
    sample_client(s, c, h->set->seed, number, r);
}

static void do_swept(struct server *s, uint64_t number, struct record *r) {
  struct client c;
  if (!s->g || s->next > number)
    new_generator(s);
  while (generator_next(s->g, &c)) {
    bool this = s->next++ == number;
    if (this)
      try_client(s, &c, number, r);
    client_free(&c);
    if (this)
      return;
  }
  r->kind = RECORD_NO_CLIENT;
}

static void do_random(struct server *s, uint64_t number, struct record *r) {
  const struct settings *set = s->h.set;
  struct rng mix = {set->seed ^ number * 0xd1342543de82ef95u};
  struct rng rng = {rng_next(&mix)};
  struct client c, whole;
  uint32_t threads = 2 + (uint32_t)rng_below(&rng, set->threads - 1);
  uint32_t ops = 2 + (uint32_t)rng_below(&rng, set->ops);
  if (!s->g)
    new_generator(s);
  if (!generator_random(s->g, &rng, threads, ops, &c)) {
    r->kind = RECORD_NO_CLIENT;
    return;
  }
  generate_final(&s->h.object.gen, &c, &whole);
  client_free(&c);
  if (prepare(s, &whole, r))
    sample_client(s, &whole, rng_next(&rng), number, r);
  client_free(&whole);
}

/* ---- the one client, or a part of it ---- */

static bool learn(const struct item *i, struct error *e) {
  struct wire w = {i->knowledge.at, i->knowledge.len, 0, false};
  while (w.next < w.len) {
    struct buf one = {0};
    const void *at = wire_get_bytes(&w, &one.len);
    struct buf copy = {0};
    buf_put(&copy, at, one.len);
    bool ok = !w.bad && rt_learn(&copy);
    buf_free(&copy);
    if (!ok) {
      error_set(e, ERR_SYSTEM,
                "internal error: knowledge of conflicts that "
                "does not fit");
      return false;
    }
  }
  /* Everybody is told the same: it is no news. */
  rt_found_conflict();
  rt_found_shared_stack();
  return true;
}

static void take_outcomes(struct jury *j, struct record *r) {
  for (uint32_t i = 0; i < j->outcomes.len; i++) {
    vec_push(&r->outcomes, j->outcomes.at[i]);
    j->outcomes.at[i].results.at = NULL; /* the record's now */
    j->outcomes.at[i].results.len = j->outcomes.at[i].results.cap = 0;
  }
  vec_clear(&j->outcomes);
  map128_clear(&j->outcome_of);
}

static void do_part(struct server *s, const struct item *i,
                    const struct client *c, struct record *r) {
  struct hunt *h = &s->h;
  struct explore x;
  path below = {0};
  if (!prepare(s, c, r) || !learn(i, &h->shared->error))
    return;
  hunt_explore_init(h, &x);
  x.max_states = i->max_states;
  x.max_executions = i->max_executions;
  x.max_memory = h->set->memory;
  x.first_execution = i->first;
  x.all = h->order->want_outcomes;
  x.graph = x.all && (i->search == SEARCH_AUTO || i->search == SEARCH_STATEFUL);
  if (i->cut) {
    for (size_t k = 0; k < i->below.len; k++)
      vec_push(&below, (uint8_t)i->below.at[k]);
    x.below = &below;
    x.leftover = &r->leftover;
  }
  if (i->gang) {
    x.gang = h->order->gang;
    x.member = i->member;
  }
  look(s, c, &x, i->search, &r->end, r);
  if (r->end == EXPLORE_DIVERGED)
    error_set(&h->shared->error, ERR_SYSTEM,
              "internal error: an execution that was run again took another "
              "way");
  if (x.states) /* how long its executions are is up to who came first */
    s->result.statistics.events = x.transitions;
  vec_free(&below);
  r->exhaustive = r->end == EXPLORE_ALL && !x.cut;
  r->interleavings = x.graph ? x.interleavings : 0;
  r->circles = x.circles;
  r->learnt = x.learnt;
  if (x.learnt || r->end == EXPLORE_STATES)
    rt_knowledge(&r->knowledge);
  take_outcomes(&h->jury, r);
  for (uint32_t k = 0; k < h->jury.journal.len; k++)
    vec_push(&r->seen, h->jury.journal.at[k]);
}

static void do_one(struct server *s, const struct item *i, struct record *r) {
  struct client own = {0};
  struct hunt *h = &s->h;
  if (h->order->program) {
    do_part(s, i, NULL, r);
  } else if (hunt_read_client(h, h->set->client, &own)) {
    do_part(s, i, &own, r);
    client_free(&own);
  }
}

/* ---- items ---- */

static void do_record(struct server *s, const struct item *i, uint64_t number,
                      struct record *r) {
  begin_record(s, i);
  switch (i->kind) {
  case ITEM_SWEEP:
    do_swept(s, number, r);
    break;
  case ITEM_RANDOM:
    do_random(s, number, r);
    break;
  case ITEM_ONE:
    do_one(s, i, r);
    break;
  }
  end_record(s, r);
}

int hunt_serve(void *arg, struct shared *shared, const struct buf *message,
               struct buf *answer) {
  struct server *s = shared->other;
  const struct hunt_order *order = arg;
  struct item i;
  if (!item_read(&i, message))
    return error_set(&shared->error, ERR_SYSTEM,
                     "internal error: an item that cannot be read");
  s->h.jury.want_outcomes = i.kind == ITEM_ONE && order->want_outcomes;
  s->h.jury.want_journal = i.kind == ITEM_ONE;
  uint64_t count = i.kind == ITEM_ONE ? 1 : i.count;
  bool goes_on = true;
  for (uint64_t k = 0; k < count && goes_on; k++) {
    struct record r = {0};
    do_record(s, &i, i.first + k, &r);
    goes_on = r.kind == RECORD_DONE && !shared->error.code;
    record_write(&r, answer);
    record_free(&r);
  }
  item_free(&i);
  return shared->error.code;
}
