#include "cli/hunt.h"

#include "cli/finding.h"
#include "cli/judge.h"
#include "cli/object.h"
#include "search/generate.h"
#include "spec/implementation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
  /* Budgets without --time and --max-executions, in steps: about a second. */
  SWEEP_STEPS = 500000,    /* all small clients */
  SAMPLE_STEPS = 200000,   /* random larger ones */
  CLIENT_STATES = 20000,   /* of one client in the sweep */
  SAMPLES = 100,           /* random executions of a client too large for it */
  MINIMIZE_STATES = 50000, /* of a client with one call less */
  TIDY_EXECUTIONS = 20000, /* to find a bad execution with few switches */
  SEQUENCES = 2000,        /* sequential clients */
  SEQUENCE_CALLS = 4,
};

struct hunt {
  const struct hunt_order *order;
  const struct settings *set;
  struct shared *shared;
  struct object object;
  struct jury jury;
  struct result *r;
  double begun, deadline;
  bool timed, counted;
  /* the sweep */
  uint64_t clients, exhaustive, sampled, cut_clients;
  uint32_t full_size; /* all clients of up to so many calls are exhausted */
  char *limit;
};

static uint64_t effort(const struct hunt *h) {
  return h->r->statistics.events + h->r->statistics.transitions;
}

/* Is there budget left, when `steps` are allowed by default? */
static bool goes_on(struct hunt *h, uint64_t steps) {
  if (h->timed)
    return explore_now() < h->deadline;
  if (h->counted)
    return h->r->statistics.executions < h->set->max_executions;
  return effort(h) < steps;
}

static void tell_client(struct hunt *h, const struct client *c) {
  struct buf b = {0};
  if (c)
    client_print(c, &h->object.names, &b);
  snprintf(h->shared->client, sizeof h->shared->client, "%s", buf_text(&b));
  h->shared->client_known = true;
  h->shared->path.len = 0;
  h->shared->clients++;
  h->shared->heartbeat++;
  buf_free(&b);
}

static void explore_init(struct hunt *h, struct explore *x) {
  *x = (struct explore){.judge = jury_judge(&h->jury),
                        .deadline = h->deadline,
                        .seed = h->set->seed,
                        .no_reduction = h->set->no_reduction,
                        .heartbeat = &h->shared->heartbeat,
                        .live = &h->shared->path};
}

static void add_up(struct hunt *h, const struct explore *x) {
  struct statistics *s = &h->r->statistics;
  s->executions += x->executions;
  s->cut += x->cut;
  s->events += x->steps;
  s->states += x->states;
  s->transitions += x->transitions;
  s->histories = h->jury.histories;
  h->shared->executions = s->executions;
}

static enum rt_end prepare(struct hunt *h, const struct client *c) {
  tell_client(h, c);
  enum rt_end end = rt_prepare(h->jury.suite, c);
  if (end == RT_DONE)
    jury_client(&h->jury, c);
  return end;
}

static enum explore_end run(struct hunt *h, struct explore *x, int search) {
  enum explore_end end = search == SEARCH_DFS      ? explore_dfs(x)
                         : search == SEARCH_RANDOM ? explore_random(x)
                                                   : explore_stateful(x);
  add_up(h, x);
  return end;
}

static void conclude(struct hunt *h, struct finding *f) {
  h->r->finding = f;
  h->r->verdict = f->fault == FAULT_NOT_LINEARIZABLE ||
                          f->fault == FAULT_SEQUENTIAL
                      ? VERDICT_VIOLATION
                      : VERDICT_ERROR;
}

/* ---- from a bad execution to the smallest client ---- */

struct bad {
  struct client client;
  path path;
};

/* Does this client show the same kind of fault?  *proved is cleared when the
 * search could not say no for sure. */
static bool still_bad(struct hunt *h, const struct client *c, path *out,
                      bool *proved) {
  enum rt_end end = prepare(h, c);
  if (end != RT_DONE)
    return false;
  struct explore x;
  explore_init(h, &x);
  x.max_states = MINIMIZE_STATES;
  enum explore_end how = run(h, &x, SEARCH_STATEFUL);
  if (how != EXPLORE_ALL && how != EXPLORE_BAD)
    *proved = false;
  if (x.cut)
    *proved = false;
  if (how == EXPLORE_BAD) {
    vec_free(out);
    *out = x.bad;
    return true;
  }
  vec_free(&x.bad);
  return false;
}

static bool minimize(struct hunt *h, struct bad *b) {
  bool proved = true;
  for (uint32_t id = b->client.ncalls; id--;) {
    struct client less = {0};
    client_without(&less, &b->client, id);
    if (less.ncalls && less.nthreads && still_bad(h, &less, &b->path, &proved)) {
      client_free(&b->client);
      b->client = less;
      id = b->client.ncalls; /* what was needed may not be any more */
      proved = true;
    } else {
      client_free(&less);
    }
  }
  return proved;
}

/* Among the bad executions of the client, one with few switches. */
static void tidy(struct hunt *h, struct bad *b) {
  if (prepare(h, &b->client) != RT_DONE)
    return;
  struct explore x;
  explore_init(h, &x);
  x.all = true;
  x.max_executions = TIDY_EXECUTIONS;
  x.max_states = 4 * MINIMIZE_STATES;
  run(h, &x, SEARCH_STATEFUL);
  if (x.bad.len &&
      x.bad_switches < path_switches(b->path.at, b->path.len)) {
    vec_free(&b->path);
    b->path = x.bad;
  } else {
    vec_free(&x.bad);
  }
}

/* The sequential run that fails is a client of one thread. */
static void sequential_client(const struct jury *j, struct client *out) {
  const struct client *c = j->client;
  *out = (struct client){0};
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(out, c->calls[i]);
  for (uint32_t i = 0; i < j->check.order.len; i++)
    client_add(out, 1, c->calls[j->check.order.at[i]]);
}

static void found(struct hunt *h, struct bad *b, bool simplify) {
  struct jury *j = &h->jury;
  bool minimal = false;
  if (j->suite && j->spec_fault) {
    struct client alone;
    sequential_client(j, &alone);
    client_free(&b->client);
    b->client = alone;
    vec_clear(&b->path);
    j->only = FAULT_NONE;
    bool proved = true;
    still_bad(h, &b->client, &b->path, &proved);
  }
  if (simplify && j->suite) {
    j->only = j->fault;
    minimal = minimize(h, b);
    tidy(h, b);
    j->only = FAULT_NONE;
  }
  if (j->suite)
    prepare(h, &b->client);
  struct finding *f = finding_make(j, b->path.at, b->path.len, h->r->object,
                                   h->shared, false, NULL);
  if (!f) { /* cannot be: the path was bad */
    h->shared->error = (struct error){0};
    error_set(&h->shared->error, ERR_SYSTEM,
              "internal error: a bad execution of %s could not be repeated",
              h->shared->client);
    return;
  }
  f->minimal_checked = minimal;
  conclude(h, f);
}

static void share_outcomes(struct hunt *h) {
  struct hunt_report *report = h->shared->other;
  struct arena *a = &h->shared->arena;
  outcome_list *from = &h->jury.outcomes, *to = &report->outcomes;
  to->at = arena_alloc(a, (from->len + 1) * sizeof *to->at);
  for (uint32_t i = 0; i < from->len; i++) {
    struct outcome *o = &to->at[to->len++];
    *o = from->at[i];
    o->results.at =
        arena_alloc(a, (o->results.len + 1) * sizeof *o->results.at);
    for (uint32_t k = 0; k < o->results.len; k++)
      value_copy(&o->results.at[k], from->at[i].results.at[k], a);
  }
}

/* Explores the prepared client; true when something bad was found. */
static bool look(struct hunt *h, const struct client *c, struct explore *x,
                 int search, bool simplify, enum explore_end *how) {
  *how = run(h, x, search);
  if (h->jury.want_outcomes) /* before anything else is judged */
    share_outcomes(h);
  h->jury.want_outcomes = false;
  if (*how != EXPLORE_BAD && !(x->all && x->bad_count)) {
    vec_free(&x->bad);
    return false;
  }
  struct bad b = {.path = x->bad};
  if (c)
    client_copy(&b.client, c);
  found(h, &b, simplify);
  client_free(&b.client);
  vec_free(&b.path);
  return true;
}

/* Trouble before the first step: a fault of the sequential kind. */
static void setup_failed(struct hunt *h, const struct client *c,
                         enum rt_end end) {
  conclude(h, finding_of_setup(c, end, h->shared));
}

/* ---- the phases ---- */

static bool read_client(struct hunt *h, const char *text, struct client *c) {
  if (client_read(c, text, &h->object.names, h->object.nargs,
                  &h->shared->error))
    return false;
  char *trouble = object_group_trouble(&h->object, c);
  if (trouble)
    error_set(&h->shared->error, ERR_USAGE, "%s", trouble);
  free(trouble);
  return !h->shared->error.code;
}

/* Schedules of earlier runs; true when one of them fails again. */
static bool try_saved(struct hunt *h) {
  for (uint32_t i = 0; i < h->order->nsaved; i++) {
    const struct schedule *s = &h->order->saved[i];
    struct client c = {0};
    struct error ignored = {0};
    if (client_read(&c, s->client, &h->object.names, h->object.nargs,
                    &ignored))
      continue; /* of a harness that was different */
    h->r->statistics.replays++;
    bool bad = false;
    if (prepare(h, &c) == RT_DONE) {
      path p = {0};
      schedule_to_path(s, &p);
      struct replay r;
      replay_init(&r, p.at, p.len);
      struct judge judge = jury_judge(&h->jury);
      bad = judge.ended(judge.ctx, rt_run(&r.driver)) == JUDGE_BAD;
      h->r->statistics.executions++;
      h->r->statistics.events += rt_steps();
      h->r->statistics.histories = h->jury.histories;
      if (bad) {
        struct bad b = {.path = r.taken};
        client_copy(&b.client, &c);
        r.taken.at = NULL;
        found(h, &b, true);
        client_free(&b.client);
        vec_free(&b.path);
        h->r->coverage.sentence = xasprintf(
            "a schedule that was saved by an earlier run still fails");
      }
      replay_free(&r);
      vec_free(&p);
    }
    client_free(&c);
    if (bad)
      return true;
  }
  return false;
}

/* All calls of an operation, by counting through its arguments. */
struct call_list {
  VEC(struct call) at;
};

static void list_calls(const struct object *o, struct call_list *out) {
  for (uint32_t op = 0; op < o->gen.nops; op++) {
    const struct gen_op *g = &o->gen.ops[op];
    if (g->waits)
      continue;
    uint64_t combinations = 1;
    for (uint32_t a = 0; a < g->nargs; a++)
      combinations *= g->args[a].count;
    for (uint64_t k = 0; k < combinations && k < 16; k++) {
      struct call c = {.op = (uint16_t)op, .thread = 1, .nargs = g->nargs};
      uint64_t rest = k;
      for (uint32_t a = 0; a < g->nargs; a++) {
        c.args[a] = g->args[a].values[rest % g->args[a].count];
        rest /= g->args[a].count;
      }
      vec_push(&out->at, c);
    }
  }
}

/*
 * First of all: is the object right without concurrency?  Sequences of calls,
 * shortest first; faults, the invariant, and the built-in specification.
 */
static bool try_sequential(struct hunt *h) {
  struct call_list calls = {0};
  list_calls(&h->object, &calls);
  uint64_t tried = 0;
  bool bad = false;
  for (uint32_t len = 1; len <= SEQUENCE_CALLS && !bad; len++) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < len; i++)
      count *= calls.at.len;
    if (tried + count > SEQUENCES)
      break;
    for (uint64_t k = 0; k < count && !bad; k++, tried++) {
      struct client c = {0};
      uint64_t rest = k;
      for (uint32_t i = 0; i < len; i++, rest /= calls.at.len)
        client_add(&c, 1, calls.at.at[rest % calls.at.len]);
      enum rt_end end = prepare(h, &c);
      h->shared->clients--;
      if (end != RT_DONE) {
        setup_failed(h, NULL, end);
        bad = true;
      } else {
        struct explore x;
        explore_init(h, &x);
        x.max_executions = 1;
        enum explore_end how;
        bad = look(h, &c, &x, SEARCH_DFS, false, &how);
      }
      client_free(&c);
    }
  }
  vec_free(&calls.at);
  if (bad)
    h->r->coverage.sentence =
        xasprintf("sequential calls only: %llu sequences",
                  (unsigned long long)tried);
  return bad;
}

static bool sweep(struct hunt *h, struct generator *g, bool *all) {
  struct client c;
  uint32_t size = 0;
  bool size_full = true;
  *all = true;
  while (generator_next(g, &c)) {
    uint32_t calls = c.ncalls - c.nfinal;
    if (calls != size) {
      if (size && size_full)
        h->full_size = size;
      size = calls;
    }
    if (!goes_on(h, SWEEP_STEPS)) {
      *all = false;
      client_free(&c);
      return false;
    }
    enum rt_end end = prepare(h, &c);
    if (end != RT_DONE) {
      setup_failed(h, &c, end);
      client_free(&c);
      return true;
    }
    struct explore x;
    explore_init(h, &x);
    x.max_states = h->timed || h->counted ? h->set->max_states : CLIENT_STATES;
    if (h->counted)
      x.max_executions =
          h->set->max_executions - h->r->statistics.executions;
    int search = h->set->search;
    if (search == SEARCH_RANDOM)
      x.max_executions = SAMPLES;
    else if (search == SEARCH_DFS && !h->timed && !h->counted)
      x.max_executions = 10 * CLIENT_STATES;
    enum explore_end how;
    bool bad = look(h, &c, &x, search, true, &how);
    h->clients++;
    if (!bad && how == EXPLORE_ALL && !x.cut && search != SEARCH_RANDOM) {
      h->exhaustive++;
    } else if (!bad) {
      size_full = false;
      h->sampled++;
      if (how == EXPLORE_STATES || how == EXPLORE_EXECUTIONS) {
        explore_init(h, &x);
        x.max_executions = SAMPLES;
        bad = look(h, &c, &x, SEARCH_RANDOM, true, &how);
      }
    }
    client_free(&c);
    if (bad)
      return true;
  }
  if (size && size_full)
    h->full_size = size;
  return false;
}

static bool sample(struct hunt *h, struct generator *g) {
  struct rng rng = {h->set->seed};
  uint64_t budget = effort(h) + SAMPLE_STEPS;
  while (goes_on(h, budget)) {
    struct client c, whole;
    uint32_t threads =
        2 + (uint32_t)rng_below(&rng, h->set->threads - 1);
    uint32_t ops = 2 + (uint32_t)rng_below(&rng, h->set->ops);
    if (!generator_random(g, &rng, threads, ops, &c))
      return false;
    generate_final(&h->object.gen, &c, &whole);
    client_free(&c);
    bool bad = false;
    if (prepare(h, &whole) == RT_DONE) {
      struct explore x;
      explore_init(h, &x);
      x.seed = rng_next(&rng);
      x.max_executions = SAMPLES;
      enum explore_end how;
      bad = look(h, &whole, &x, SEARCH_RANDOM, true, &how);
      h->clients++;
      h->sampled++;
    }
    client_free(&whole);
    if (bad)
      return true;
  }
  return false;
}

static void tell_coverage(struct hunt *h, uint64_t swept, bool all) {
  struct coverage *c = &h->r->coverage;
  struct buf b = {0};
  c->exhaustive_clients = h->exhaustive;
  c->sampled_clients = h->sampled;
  c->threads = (uint32_t)h->set->threads;
  c->ops = (uint32_t)h->set->ops;
  c->init = (uint32_t)h->set->init;
  c->exhaustive = all && h->exhaustive == swept;
  if (all && c->exhaustive)
    buf_printf(&b, "all %llu clients up to %ux%u calls after up to %u initial "
                   "ones, every interleaving",
               (unsigned long long)swept, c->threads, c->ops, c->init);
  else if (h->full_size)
    buf_printf(&b, "every interleaving of %llu clients, all those up to %u "
                   "calls among them",
               (unsigned long long)h->exhaustive, h->full_size);
  else
    buf_printf(&b, "every interleaving of %llu clients",
               (unsigned long long)h->exhaustive);
  if (h->sampled)
    buf_printf(&b, "; %llu at random", (unsigned long long)h->sampled);
  if (!c->sentence)
    c->sentence = xstrdup(buf_text(&b));
  buf_free(&b);
}

static void hunt_clients(struct hunt *h) {
  if (try_saved(h) || h->shared->error.code)
    return;
  if (try_sequential(h))
    return;
  struct gen_limits limits = {.threads = (uint32_t)h->set->threads,
                              .ops = (uint32_t)h->set->ops,
                              .init = (uint32_t)h->set->init,
                              .final = true};
  struct generator *g = generator_new(&h->object.gen, &limits);
  bool all;
  bool bad = sweep(h, g, &all);
  uint64_t swept = h->clients;
  if (!bad && !(all && h->exhaustive == swept && !h->timed))
    bad = sample(h, g);
  generator_free(g);
  tell_coverage(h, swept, all);
  if (!bad && h->clients == 0) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xstrdup("no client could be made of these operations");
  }
}

static const char *const limit_words[] = {
    [EXPLORE_EXECUTIONS] = "--max-executions",
    [EXPLORE_TIME] = "--time",
    [EXPLORE_STATES] = "--max-states",
};

/* --client, or a whole program. */
static void hunt_one(struct hunt *h) {
  struct client c = {0};
  if (!h->order->program && !read_client(h, h->set->client, &c))
    return;
  h->r->coverage.one_client = true;
  enum rt_end end = prepare(h, h->order->program ? NULL : &c);
  if (end != RT_DONE) {
    setup_failed(h, h->order->program ? NULL : &c, end);
    return;
  }
  struct explore x;
  explore_init(h, &x);
  x.max_states = h->set->max_states;
  x.max_executions = h->set->max_executions;
  x.all = h->order->want_outcomes;
  int search = h->set->search;
  if (search == SEARCH_RANDOM && !x.max_executions)
    x.max_executions = 10000;
  enum explore_end how;
  bool bad = look(h, h->order->program ? NULL : &c, &x, search, false, &how);
  h->clients = 1;
  const char *limit = how >= EXPLORE_EXECUTIONS ? limit_words[how] : NULL;
  if (how == EXPLORE_ALL && search != SEARCH_RANDOM && x.cut)
    limit = "--max-steps";
  struct coverage *v = &h->r->coverage;
  v->exhaustive = how == EXPLORE_ALL && search != SEARCH_RANDOM && !x.cut;
  v->exhaustive_clients = v->exhaustive;
  v->sampled_clients = !v->exhaustive;
  v->limit = limit ? xstrdup(limit) : NULL;
  v->sentence = xstrdup(v->exhaustive ? "every interleaving of this client"
                        : bad         ? "until the first fault"
                        : search == SEARCH_RANDOM ? "random interleavings"
                                                  : "not all interleavings");
  if (!bad && limit && search != SEARCH_RANDOM) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xasprintf("%s ended the search", limit);
  }
  client_free(&c);
}

static void hunt_replay(struct hunt *h) {
  const struct schedule *s = &h->order->saved[0];
  struct client c = {0};
  if (!h->order->program && !read_client(h, s->client, &c))
    return;
  enum rt_end end = prepare(h, h->order->program ? NULL : &c);
  if (end != RT_DONE) {
    setup_failed(h, &c, end);
    return;
  }
  path p = {0};
  schedule_to_path(s, &p);
  if (h->order->only_choices) /* as it was when the process died */
    path_complete(&p);
  struct hunt_report *report = h->shared->other;
  struct finding *f = finding_make(&h->jury, p.at, p.len, h->r->object,
                                   h->shared, true, &report->diverged);
  report->trace = f->trace;
  report->client = f->client;
  h->r->statistics.executions = 2;
  h->r->statistics.clients = 1;
  h->r->coverage.one_client = true;
  h->r->coverage.sentence = xstrdup("one schedule, run twice");
  if (f->fault != FAULT_NONE)
    conclude(h, f);
  vec_free(&p);
}

/* ---- */

static bool open_suite(struct hunt *h) {
  if (h->order->program) {
    h->r->object = "program";
    h->r->spec = xstrdup("none: assertions and faults only");
    return true;
  }
  struct fl_suite *s = rt_suites();
  for (uint32_t i = 0; i < h->order->suite; i++)
    s = s->next;
  h->jury.suite = s;
  object_init(&h->object, s);
  h->r->object = s->name;
  h->r->expect_fault = s->expect_fault;
  h->r->names = h->object.names;
  h->jury.spec = spec_builtin(s, &h->shared->error);
  if (h->shared->error.code)
    return false;
  if (h->jury.spec) {
    h->r->spec = xstrdup(h->jury.spec->name);
  } else {
    h->jury.spec = spec_implementation();
    h->jury.implementation = true;
    h->r->spec = xstrdup("the object itself, run sequentially");
  }
  return true;
}

static char *shared_text(struct hunt *h, char *text) {
  char *copy = arena_strdup(&h->shared->arena, text);
  free(text);
  return copy;
}

/* Moves what the result points to into the shared memory. */
static void share_result(struct hunt *h) {
  struct arena *a = &h->shared->arena;
  struct result *r = h->r;
  r->object = arena_strdup(a, r->object);
  r->spec = shared_text(h, r->spec);
  r->reason = shared_text(h, r->reason);
  r->coverage.sentence = shared_text(h, r->coverage.sentence);
  r->coverage.limit = shared_text(h, r->coverage.limit);
  const char **names = arena_alloc(a, (r->names.count + 1) * sizeof *names);
  for (uint32_t i = 0; i < r->names.count; i++)
    names[i] = arena_strdup(a, r->names.name[i]);
  r->names.name = names;
}

int hunt_run(void *arg, struct shared *s) {
  const struct hunt_order *order = arg;
  struct hunt h = {.order = order,
                   .set = order->settings,
                   .shared = s,
                   .r = &s->result,
                   .begun = explore_now()};
  s->other = arena_alloc(&s->arena, sizeof(struct hunt_report));
  struct rt_options o;
  settings_engine(h.set, &o);
  o.uses_tls = order->uses_tls;
  int err = rt_open(order->so, &o, &s->error);
  if (err)
    return err;
  if (h.set->time > 0) {
    h.timed = true;
    h.deadline = h.begun + h.set->time;
  }
  h.counted = h.set->max_executions != 0;
  h.jury.criterion = (enum criterion)h.set->criterion;
  h.jury.want_outcomes = order->want_outcomes;
  struct result *r = h.r;
  *r = (struct result){.verdict = VERDICT_PASS,
                       .seed = h.set->seed,
                       .search = search_name[h.set->search],
                       .criterion = h.set->criterion ? "sequential"
                                                     : "linearizability",
                       .memory_model = "sc",
                       .heap = h.set->heap ? "reuse" : "quarantine",
                       .base = rt_base()};
  if (!open_suite(&h))
    return s->error.code;
  if (order->replay_only)
    hunt_replay(&h);
  else if (h.set->client || order->program)
    hunt_one(&h);
  else
    hunt_clients(&h);
  if (s->error.code)
    return s->error.code;
  r->statistics.clients = h.clients ? h.clients : r->statistics.clients;
  if (r->verdict == VERDICT_PASS && !rt_accesses()) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = xstrdup("no operation touched memory that threads share: "
                        "nothing was checked");
  } else if (r->verdict == VERDICT_PASS && h.jury.undecided) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = xasprintf("%llu histories were too hard to check",
                          (unsigned long long)h.jury.undecided);
  }
  r->statistics.seconds = explore_now() - h.begun;
  share_result(&h);
  return ERR_NONE;
}
