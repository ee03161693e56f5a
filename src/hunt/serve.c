/*
 * A worker of the pool: items in, records out.
 *
 * A small client is searched completely; of a large one some executions are
 * drawn at random.  The object is made anew for each client, so a record does
 * not depend on the clients before it (I1).
 */
#include "base/clock.h"
#include "base/map128.h"
#include "hunt/inside.h"
#include "hunt/item.h"

#include "search/delay.h"
#include "search/generate.h"
#include "search/parallel_search.h"

#include <stdio.h>

enum {
  CLIENT_STATES = 20000, /* of a client of the sweep */
  RANDOM_STATES = 3000,  /* of a random client */
  ROUND = 40,            /* executions of a client that a round draws … */
  ROUND_PCT = 8,         /* … so many of them by PCT */
  ROUNDS = 5,            /* of a client, at most */
  VICTIM_CALLS = 5,      /* of the other thread, at most */
  VICTIM_PREEMPTIONS = 3,
  IN_VAIN = 20, /* executions of a client that were set aside or cut,
                   where doubts are set aside */
};

/* The state after a sequence of initial calls. */
struct initial {
  struct hash128 memory;
  bool works; /* the calls end without a fault */
};

struct server {
  struct hunt h;
  struct result result;     /* of the present record */
  struct generator *g;      /* gives clients for items of this … */
  enum item_kind kind;      /* … kind */
  uint64_t next;            /* number of the client that `g` gives next */
  struct map128 initial_of; /* hash of the calls -> index into initials */
  VEC(struct initial) initials;
};

int hunt_serve_open(void *arg, struct work *work) {
  struct server *s = xcalloc(1, sizeof *s);
  work->own = s;
  return hunt_open(&s->h, arg, work, &s->result);
}

/* ---- clients ---- */

static struct hash128 hash_calls(const struct client *c, uint32_t n) {
  struct hash128 h = {0, 0};
  for (uint32_t i = 0; i < n; i++) {
    const struct call *a = &c->calls[i];
    struct hash128 args = hash128(a->args, a->nargs * sizeof *a->args, a->op);
    h = hash128_join(h, args);
  }
  return h;
}

/* The state after the first n initial calls. */
static struct initial state_after(struct server *s, const struct client *init,
                                  uint32_t n) {
  bool fresh;
  uint32_t *at = map128_put(&s->initial_of, hash_calls(init, n), &fresh);
  if (!fresh)
    return s->initials.at[*at];
  struct client c = {0};
  for (uint32_t i = 0; i < n; i++)
    client_add_init(&c, init->calls[i]);
  struct initial now = {.works = hunt_prepare(&s->h, &c) == RT_DONE};
  if (now.works)
    now.memory = rt_hash_memory();
  client_free(&c);
  *at = s->initials.len;
  vec_push(&s->initials, now);
  return now;
}

/* For the generator (G7): does the last initial call change the object?  Calls
 * that fail count as a change, so that a client shows the fault. */
static bool changes(void *server, const struct client *init) {
  struct server *s = server;
  if (hunt_leaves_out(&s->h, init))
    return false;
  struct initial now = state_after(s, init, init->ninit);
  struct initial before = state_after(s, init, init->ninit - 1);
  return !now.works || !before.works ||
         !hash128_equal(now.memory, before.memory);
}

static void new_generator(struct server *s, enum item_kind kind) {
  struct hunt *h = &s->h;
  bool all = h->set->no_reduction, observe = kind == ITEM_OBSERVE;
  struct gen_limits limits = {.threads = (uint32_t)h->set->threads,
                              .ops = (uint32_t)h->set->ops + observe,
                              .init = (uint32_t)h->set->init,
                              .final = true,
                              .distinct = !all,
                              .observe = observe,
                              /* The engine may not see all of the memory that
                               * a call changes. */
                              .changes =
                                  all || h->target->partial ? NULL : changes,
                              .without = h->target->known,
                              .nwithout = h->target->nknown,
                              .ctx = s};
  if (s->g)
    generator_free(s->g);
  s->g = generator_new(&h->object.gen, &limits);
  s->kind = kind;
  s->next = 0;
}

/* ---- one record ---- */

static void begin_record(struct server *s, const struct item *i) {
  struct hunt *h = &s->h;
  s->result.statistics = (struct statistics){0};
  s->result.chance = (struct chance){0};
  h->checker.histories = h->checker.undecided = 0;
  h->clients = 0;
  h->timed = i->seconds > 0;
  h->deadline = h->timed ? clock_now() + i->seconds : 0;
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
  r->histories = s->h.checker.histories;
  r->undecided = s->h.checker.undecided;
  r->faults = s->h.checker.faults;
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

/* True: the exploration found a bad execution, which is in the record now. */
static bool take_if_bad(struct server *s, const struct client *c,
                        struct explore *x, enum explore_end end,
                        struct record *r) {
  /* In a parallel search of all states, only the first member reports it,
   * unless there was no time to put the parts together. */
  bool others =
      x->parallel && x->graph && x->all && x->member && end != EXPLORE_TIME;
  /* The path is empty if the fault came before the first choice. */
  bool any = x->bad.len || (x->bad_count && !x->parallel && !x->watch);
  bool bad = end == EXPLORE_BAD || (x->all && any && !others);
  if (bad)
    take_bad(s, c, x, r);
  vec_free(&x->bad);
  return bad;
}

static bool explore(struct server *s, const struct client *c, struct explore *x,
                    int search, enum explore_end *end, struct record *r) {
  *end = hunt_explore(&s->h, x, search);
  return take_if_bad(s, c, x, *end, r);
}

/* ---- clients of the sweep ---- */

static void set_budget(struct hunt *h, struct explore *x) {
  hunt_explore_init(h, x);
  bool bounded = h->counted && !h->timed;
  x->max_states = bounded ? h->set->max_states : CLIENT_STATES;
  if (x->max_states > h->set->max_states)
    x->max_states = h->set->max_states;
  x->max_memory = h->set->memory;
  int search = h->set->search;
  if (!search_is_exhaustive(search))
    x->max_executions = hunt_executions_left(h, HUNT_SAMPLES);
  else if (search == SEARCH_DFS || search == SEARCH_DPOR) /* count no states */
    x->max_executions = hunt_executions_left(
        h, h->counted ? x->max_states : 10 * CLIENT_STATES);
  else
    x->max_executions = hunt_executions_left(h, 0);
}

static void begin_drawing(struct server *s, struct explore *x, uint64_t seed,
                          uint64_t first, uint64_t executions) {
  hunt_explore_init(&s->h, x);
  x->seed = seed;
  x->first_execution = first;
  x->max_executions = hunt_executions_left(&s->h, executions);
}

static bool draw_walks(struct server *s, const struct client *c, uint64_t seed,
                       uint64_t round, struct record *r) {
  const uint64_t n = ROUND - ROUND_PCT;
  struct explore x;
  s->h.checker.in_vain = 0;
  begin_drawing(s, &x, seed, round * n, n);
  enum explore_end end = explore_delay(&x);
  hunt_add_up(&s->h, &x);
  return take_if_bad(s, c, &x, end, r);
}

static bool draw_pct(struct server *s, const struct client *c, uint64_t seed,
                     uint64_t round, uint32_t depth, struct record *r) {
  struct explore x;
  enum explore_end end;
  s->h.checker.in_vain = 0;
  begin_drawing(s, &x, seed, round * ROUND_PCT, ROUND_PCT);
  x.depth = depth;
  return explore(s, c, &x, SEARCH_PCT, &end, r);
}

/*
 * Samples a client that has too many interleavings.  Random walks find faults
 * that can happen in many places or that need one thread to be delayed; PCT
 * finds faults that need few ordering constraints in a long execution.  Its
 * depth is 2 or 3, since faults of depth 1 show without it.  A round without a
 * new history is the last.
 */
static void sample_client(struct server *s, const struct client *c,
                          uint64_t seed, uint64_t number, struct record *r) {
  struct hunt *h = &s->h;
  int search = h->set->search;
  if (!search_is_exhaustive(search)) {
    struct explore x;
    enum explore_end end;
    begin_drawing(s, &x, seed, 0, HUNT_SAMPLES);
    explore(s, c, &x, search, &end, r);
    return;
  }
  bool bad = false, fresh = true;
  for (uint64_t k = 0; k < ROUNDS && fresh && !bad && hunt_goes_on(h); k++) {
    uint64_t histories = h->checker.histories;
    uint32_t depth = 2 + (uint32_t)((number + k) % 2);
    bad = draw_walks(s, c, seed, k, r) ||
          (hunt_goes_on(h) && draw_pct(s, c, seed, k, depth, r));
    fresh = h->checker.histories != histories;
  }
}

static bool prepare(struct server *s, const struct client *c,
                    struct record *r) {
  if (hunt_prepare(&s->h, c) == RT_DONE)
    return true;
  if (checker_sets_aside(&s->h.checker)) {
    r->kind = RECORD_SKIPPED;
    return false;
  }
  r->kind = RECORD_SETUP;
  take_client(s, c, r);
  return false;
}

/* With the budgets of set_budget or of the item. */
static void try_progress(struct server *s, const struct client *c,
                         uint64_t max_states, struct record *r) {
  struct hunt *h = &s->h;
  struct explore x;
  if (r->kind != RECORD_DONE || !hunt_has_progress(h) || !hunt_goes_on(h))
    return;
  hunt_explore_init(h, &x);
  x.max_states = max_states;
  x.max_memory = h->set->memory;
  x.share = NULL;
  x.work = NULL;
  uint64_t faults = h->checker.faults;
  enum hunt_progress answer = hunt_progress(h, c, &x);
  h->checker.faults = faults;
  r->progress = answer != PROGRESS_UNKNOWN;
  struct client own;
  client_copy(&own, c);
  if (!h->set->client) { /* final calls have no part in it */
    own.ncalls -= own.nfinal;
    own.nfinal = 0;
  }
  if (answer == PROGRESS_FAILS)
    take_bad(s, &own, &x, r);
  client_free(&own);
  vec_free(&x.bad);
}

static bool is_too_large(enum explore_end end) {
  return end == EXPLORE_STATES || end == EXPLORE_EXECUTIONS ||
         end == EXPLORE_MEMORY;
}

/* Searches all interleavings; if they are too many, samples some. */
static void try_client(struct server *s, const struct client *c,
                       uint64_t max_states, uint64_t seed, uint64_t number,
                       struct record *r) {
  struct hunt *h = &s->h;
  struct explore x;
  set_budget(h, &x);
  if (max_states)
    x.max_states = max_states;
  if (explore(s, c, &x, h->set->search, &r->end, r))
    return;
  r->exhaustive =
      r->end == EXPLORE_ALL && !x.cut && search_is_exhaustive(h->set->search);
  bool in_vain = r->end == EXPLORE_STOPPED && h->checker.patience;
  if (!is_too_large(r->end))
    try_progress(s, c, max_states ? max_states : CLIENT_STATES, r);
  if (r->kind != RECORD_DONE)
    return;
  if ((is_too_large(r->end) || in_vain) && hunt_goes_on(h))
    sample_client(s, c, seed, number, r);
}

static void try_swept(struct server *s, const struct client *c,
                      const struct item *i, uint64_t number, struct record *r) {
  r->init = c->ninit;
  r->calls = client_first_final(c) - c->ninit;
  if (prepare(s, c, r))
    try_client(s, c, i->max_states, s->h.set->seed, number, r);
}

static void do_swept(struct server *s, const struct item *i, uint64_t number,
                     struct record *r) {
  struct client c;
  enum item_kind kind = i->kind == ITEM_DEEP ? ITEM_SWEEP : i->kind;
  if (!s->g || s->kind != kind || s->next > number)
    new_generator(s, kind);
  while (generator_next(s->g, &c)) {
    bool this = s->next++ == number;
    if (this)
      try_swept(s, &c, i, number, r);
    client_free(&c);
    if (this)
      return;
  }
  r->kind = RECORD_NO_CLIENT;
}

/*
 * A small client has two threads and up to one call more in a thread than the
 * clients of the sweep, so that all of its interleavings can often be searched.
 * A large one has three threads or more, with no more calls in a thread than
 * the sweep has; it is sampled.
 */
static bool random_client(struct server *s, struct rng *rng, bool small,
                          struct client *out) {
  const struct settings *set = s->h.set;
  uint32_t threads = small ? 2 : 3 + (uint32_t)rng_below(rng, set->threads - 2);
  uint32_t ops = 2 + (uint32_t)rng_below(rng, small ? set->ops : set->ops - 1);
  if (!s->g || s->kind != ITEM_RANDOM)
    new_generator(s, ITEM_RANDOM);
  return generator_random(s->g, rng, threads, ops, out);
}

/*
 * One call beside several: few preemptions are enough, and there are few
 * interleavings with so many.
 */
static void try_victim(struct server *s, const struct client *c, uint64_t seed,
                       uint64_t number, struct record *r) {
  struct explore x;
  enum explore_end end;
  set_budget(&s->h, &x);
  if (!x.bound_preemptions || x.preemptions > VICTIM_PREEMPTIONS) {
    x.bound_preemptions = true;
    x.preemptions = VICTIM_PREEMPTIONS;
  }
  bool bad = explore(s, c, &x, SEARCH_STATEFUL, &end, r);
  if (!bad && is_too_large(end) && hunt_goes_on(&s->h))
    sample_client(s, c, seed, number, r);
}

static void do_victim(struct server *s, uint64_t number, struct record *r) {
  const struct settings *set = s->h.set;
  struct rng mix = {set->seed ^ number * 0x9e3779b97f4a7c15u};
  struct rng rng = {rng_next(&mix)};
  struct client c;
  if (!s->g || s->kind != ITEM_VICTIM)
    new_generator(s, ITEM_VICTIM);
  if (set->ops < 2 || !generator_victim(s->g, &rng, VICTIM_CALLS, &c)) {
    r->kind = RECORD_NO_CLIENT;
    return;
  }
  if (prepare(s, &c, r))
    try_victim(s, &c, rng_next(&rng), number, r);
  client_free(&c);
}

static void do_random(struct server *s, uint64_t number, struct record *r) {
  const struct settings *set = s->h.set;
  struct rng mix = {set->seed ^ number * 0xd1342543de82ef95u};
  struct rng rng = {rng_next(&mix)};
  struct client c;
  bool small = number % 4 == 3 || set->threads < 3 || set->ops < 2;
  if (!random_client(s, &rng, small, &c)) {
    r->kind = RECORD_NO_CLIENT;
    return;
  }
  uint64_t seed = rng_next(&rng);
  bool stateful = set->search == SEARCH_AUTO || set->search == SEARCH_STATEFUL;
  if (!prepare(s, &c, r))
    ;
  else if (small && stateful)
    try_client(s, &c, RANDOM_STATES, seed, number, r);
  else
    sample_client(s, &c, seed, number, r);
  client_free(&c);
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
  /* All workers know these conflicts: do not report them as found here. */
  rt_found_conflict();
  rt_found_shared_stack();
  return true;
}

static void take_outcomes(struct checker *j, struct record *r) {
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
  if (!prepare(s, c, r) || !learn(i, &h->work->error))
    return;
  hunt_explore_init(h, &x);
  x.max_states = i->max_states;
  x.max_executions = i->max_executions;
  x.max_memory = h->set->memory;
  x.first_execution = i->first;
  x.all = h->target->want_outcomes;
  x.graph = x.all && (i->search == SEARCH_AUTO || i->search == SEARCH_STATEFUL);
  x.guards = !x.graph;
  if (i->cut) {
    for (size_t k = 0; k < i->below.len; k++)
      vec_push(&below, (uint8_t)i->below.at[k]);
    x.below = &below;
    x.leftover = &r->leftover;
  }
  if (i->parallel) {
    x.parallel = h->target->parallel;
    x.member = i->member;
  }
  explore(s, c, &x, i->search, &r->end, r);
  if (r->end == EXPLORE_DIVERGED) { /* the parent runs it again */
    live_take(&h->shared->path, &x.bad);
    take_bad(s, c, &x, r);
  }
  if (!x.all && !i->cut && !i->first && !i->member && c &&
      !is_too_large(r->end))
    try_progress(s, c, i->max_states, r);
  if (x.states) /* in a parallel search, steps depend on the other members */
    s->result.statistics.events = x.transitions;
  vec_free(&below);
  r->exhaustive = r->end == EXPLORE_ALL && !x.cut;
  r->interleavings = x.graph ? x.interleavings : 0;
  r->circles = x.circles;
  r->learnt = x.learnt;
  if (x.learnt || r->end == EXPLORE_STATES)
    rt_knowledge(&r->knowledge);
  take_outcomes(&h->checker, r);
  for (uint32_t k = 0; k < h->checker.journal.len; k++)
    vec_push(&r->seen, h->checker.journal.at[k]);
}

static void do_one(struct server *s, const struct item *i, struct record *r) {
  struct client own = {0};
  struct hunt *h = &s->h;
  if (h->target->program) {
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
  case ITEM_OBSERVE:
  case ITEM_DEEP:
    do_swept(s, i, number, r);
    break;
  case ITEM_VICTIM:
    do_victim(s, number, r);
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

int hunt_serve(void *arg, struct work *work, const struct buf *message,
               struct buf *answer) {
  struct server *s = work->own;
  const struct target *t = arg;
  struct item i;
  if (!item_read(&i, message))
    return error_set(&work->error, ERR_SYSTEM,
                     "internal error: an item that cannot be read");
  s->h.checker.want_outcomes = i.kind == ITEM_ONE && t->want_outcomes;
  s->h.checker.want_journal = i.kind == ITEM_ONE;
  s->h.checker.patience = t->brief && i.kind != ITEM_ONE ? IN_VAIN : 0;
  uint64_t count = i.kind == ITEM_ONE ? 1 : i.count;
  bool goes_on = true;
  for (uint64_t k = 0; k < count && goes_on; k++) {
    struct record r = {0};
    do_record(s, &i, i.first + k, &r);
    goes_on = (r.kind == RECORD_DONE || r.kind == RECORD_SKIPPED) &&
              !work->error.code;
    record_write(&r, answer);
    record_free(&r);
  }
  item_free(&i);
  return work->error.code;
}
