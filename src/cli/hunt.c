#include "cli/hunt_int.h"

#include "cli/finding.h"
#include "spec/implementation.h"

#include <stdio.h>
#include <string.h>

/* ---- what all parts of the hunt use ---- */

uint64_t hunt_effort(const struct hunt *h) {
  return h->r->statistics.events + h->r->statistics.transitions;
}

bool hunt_goes_on(const struct hunt *h, uint64_t steps) {
  if (h->timed && explore_now() >= h->deadline)
    return false;
  if (h->counted && h->r->statistics.executions >= h->set->max_executions)
    return false;
  return h->timed || h->counted || hunt_effort(h) < steps;
}

uint64_t hunt_executions_left(const struct hunt *h, uint64_t most) {
  if (!h->counted)
    return most;
  uint64_t done = h->r->statistics.executions, all = h->set->max_executions;
  uint64_t left = done < all ? all - done : 1;
  return most && most < left ? most : left;
}

static void tell_client(struct hunt *h, const struct client *c) {
  struct buf b = {0};
  if (c)
    client_print(c, &h->object.names, &b);
  h->shared->path.len = 0;
  h->shared->clients++;
  h->shared->heartbeat++;
  board_write(h->shared->board, buf_text(&b), h->clients,
              h->r->statistics.executions);
  buf_free(&b);
}

void hunt_explore_init(struct hunt *h, struct explore *x) {
  *x = (struct explore){.judge = jury_judge(&h->jury),
                        .deadline = h->deadline,
                        .seed = h->set->seed,
                        /* What escapes the hooks makes conflicts that are
                         * not seen. */
                        .no_reduction =
                            h->set->no_reduction || h->order->partial,
                        .no_real_time = h->set->no_real_time,
                        .depth = (uint32_t)h->set->depth,
                        .bound_preemptions = h->set->bound_preemptions,
                        .preemptions = (uint32_t)h->set->preemptions,
                        .heartbeat = &h->shared->heartbeat,
                        .live = &h->shared->path};
}

static void add_up(struct hunt *h, const struct explore *x) {
  struct statistics *s = &h->r->statistics;
  s->executions += x->executions;
  s->cut += x->cut;
  s->blocked += x->blocked;
  s->events += x->steps;
  s->states += x->states;
  s->transitions += x->transitions;
  s->histories = h->jury.histories;
  h->shared->executions = s->executions;
}

enum rt_end hunt_prepare(struct hunt *h, const struct client *c) {
  tell_client(h, c);
  enum rt_end end = rt_prepare(h->jury.suite, c);
  if (end == RT_DONE)
    jury_client(&h->jury, c);
  return end;
}

/* Steps of each call of the prepared client. */
static void estimate_calls(struct hunt *h, struct explore *x) {
  const struct client *c = h->jury.client;
  vec_clear(&h->estimate);
  for (uint32_t i = 0; i < c->ncalls; i++)
    vec_push(&h->estimate, h->order->estimates[c->calls[i].op]);
  x->estimate = h->estimate.at;
  x->nestimates = h->estimate.len;
}

/* The bound of the run is that of the client that it is smallest for. */
static void note_chance(struct hunt *h, const struct explore *x) {
  struct chance *c = &h->r->chance;
  if (!x->executions || (c->depth && c->bound <= x->bound))
    return;
  *c = (struct chance){.depth = x->depth,
                       .threads = x->threads,
                       .steps = x->length,
                       .bound = x->bound};
}

static enum explore_end draw_by_priorities(struct hunt *h, struct explore *x,
                                           int search) {
  if (!x->depth)
    x->depth = HUNT_DEPTH;
  if (search == SEARCH_DPCT)
    estimate_calls(h, x);
  enum explore_end end =
      search == SEARCH_DPCT ? explore_dpct(x) : explore_pct(x);
  if (h->set->search == search)
    note_chance(h, x);
  return end;
}

static enum explore_end run_search(struct hunt *h, struct explore *x,
                                   int search) {
  switch (search) {
  case SEARCH_DFS:
    return explore_dfs(x);
  case SEARCH_DPOR:
    return explore_dpor(x);
  case SEARCH_RANDOM:
    return explore_random(x);
  case SEARCH_PCT:
  case SEARCH_DPCT:
    return draw_by_priorities(h, x, search);
  case SEARCH_POS:
    return explore_pos(x);
  default:
    return explore_stateful(x);
  }
}

enum explore_end hunt_explore(struct hunt *h, struct explore *x, int search) {
  enum explore_end end = run_search(h, x, search);
  add_up(h, x);
  return end;
}

void hunt_conclude(struct hunt *h, struct finding *f) {
  h->found = true;
  h->r->finding = f;
  h->r->verdict =
      f->fault == FAULT_NOT_LINEARIZABLE || f->fault == FAULT_SEQUENTIAL
          ? VERDICT_VIOLATION
          : VERDICT_ERROR;
}

static void share_outcomes(struct hunt *h) {
  struct hunt_report *report = h->shared->other;
  struct arena *a = &h->shared->arena;
  outcome_list *from = &h->jury.outcomes, *to = &report->outcomes;
  report->faults = h->jury.faults;
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

bool hunt_look(struct hunt *h, const struct client *c, struct explore *x,
               int search, bool simplify, enum explore_end *how) {
  *how = hunt_explore(h, x, search);
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
  hunt_minimize(h, &b, simplify);
  client_free(&b.client);
  vec_free(&b.path);
  return true;
}

bool hunt_setup_failed(struct hunt *h, const struct client *c,
                       enum rt_end end) {
  hunt_conclude(h, finding_of_setup(c, end, h->shared));
  return true;
}

/* ---- the phases ---- */

bool hunt_read_client(struct hunt *h, const char *text, struct client *c) {
  if (client_read(c, text, &h->object.names, h->object.nargs,
                  &h->shared->error))
    return false;
  char *trouble = object_group_trouble(&h->object, c);
  if (trouble)
    error_set(&h->shared->error, ERR_USAGE, "%s", trouble);
  free(trouble);
  return !h->shared->error.code;
}

/* True when the saved schedule fails again. */
static bool try_saved_one(struct hunt *h, const struct schedule *s,
                          const struct client *c) {
  if (hunt_prepare(h, c) != RT_DONE)
    return false;
  path p = {0};
  struct replay r;
  schedule_to_path(s, &p);
  replay_init(&r, p.at, p.len);
  struct judge judge = jury_judge(&h->jury);
  bool bad = judge.ended(judge.ctx, rt_run(&r.driver)) == JUDGE_BAD;
  h->r->statistics.executions++;
  h->r->statistics.events += rt_steps();
  h->r->statistics.histories = h->jury.histories;
  if (bad) {
    struct bad b = {.path = r.taken};
    client_copy(&b.client, c);
    r.taken = (path){0};
    hunt_minimize(h, &b, true);
    client_free(&b.client);
    vec_free(&b.path);
  }
  replay_free(&r);
  vec_free(&p);
  return bad;
}

/* Schedules of earlier runs; true when one of them fails again. */
static bool try_saved(struct hunt *h) {
  bool bad = false;
  for (uint32_t i = 0; i < h->order->nsaved && !bad; i++) {
    const struct schedule *s = &h->order->saved[i];
    struct client c = {0};
    struct error ignored = {0};
    if (client_read(&c, s->client, &h->object.names, h->object.nargs, &ignored))
      continue; /* of a harness that was different */
    h->r->statistics.replays++;
    bad = try_saved_one(h, s, &c);
    client_free(&c);
  }
  if (bad) {
    h->clients = 1;
    h->r->coverage.sentence =
        xstrdup("a saved schedule fails; nothing else was tried");
  }
  return bad;
}

static void hunt_clients(struct hunt *h) {
  if (try_saved(h) || hunt_sequences(h))
    return;
  h->shared->clients = 0; /* from here on they are those of the sweep */
  hunt_sweep(h);
}

static const char *const limit_words[] = {
    [EXPLORE_EXECUTIONS] = "--max-executions",
    [EXPLORE_TIME] = "--time",
    [EXPLORE_STATES] = "--max-states",
    [EXPLORE_MEMORY] = "--memory",
};

/* What is run of one client: `all interleavings`, … */
static const char *one_part(const struct coverage *v, bool complete) {
  if (v->exhaustive)
    return "all interleavings";
  if (complete)
    return "all orders of conflicting accesses, without those of calls and "
           "returns,";
  return "interleavings";
}

static void one_coverage(struct hunt *h, const struct explore *x,
                         enum explore_end how, bool bad) {
  struct coverage *v = &h->r->coverage;
  const char *what = h->order->program ? "program" : "client";
  int search = h->set->search;
  bool drawn = !search_is_exhaustive(search);
  const char *limit = how >= EXPLORE_EXECUTIONS ? limit_words[how] : NULL;
  if (how == EXPLORE_ALL && !drawn && x->cut)
    limit = "--max-steps";
  bool complete = how == EXPLORE_ALL && !drawn && !x->cut;
  /* Without real time it is not all that a history can tell. */
  v->exhaustive = complete && (!x->no_real_time || h->order->program);
  v->exhaustive_clients = v->exhaustive;
  v->sampled_clients = !v->exhaustive;
  v->limit = limit ? xstrdup(limit) : NULL;
  struct buf b = {0};
  buf_printf(&b, "%s%s%s of this %s", complete ? "" : search_words[search],
             complete ? "" : " ", one_part(v, complete), what);
  if (h->set->bound_preemptions)
    buf_printf(&b, " with at most %llu preemptions",
               (unsigned long long)h->set->preemptions);
  if (bad && !v->exhaustive && !limit && !x->all)
    buf_puts(&b, ", up to the first fault");
  v->sentence = xstrdup(buf_text(&b));
  buf_free(&b);
  if (!bad && limit && !drawn) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xasprintf("%s ended the search", limit);
  }
}

/* --client, or a whole program. */
static void hunt_one(struct hunt *h) {
  struct client own = {0};
  const struct client *c = h->order->program ? NULL : &own;
  if (c && !hunt_read_client(h, h->set->client, &own))
    return;
  h->r->coverage.one_client = true;
  h->clients = 1;
  enum rt_end end = hunt_prepare(h, c);
  if (end != RT_DONE) {
    hunt_setup_failed(h, c, end);
    h->r->coverage.sentence = xstrdup("it fails before the threads begin");
  } else {
    struct explore x;
    enum explore_end how;
    hunt_explore_init(h, &x);
    x.max_states = h->set->max_states;
    x.max_executions = h->set->max_executions;
    x.all = h->order->want_outcomes;
    x.max_memory = h->set->memory;
    if (!search_is_exhaustive(h->set->search) && !h->counted)
      x.max_executions = h->timed ? UINT64_MAX : HUNT_RANDOM;
    struct hunt_report *report = h->shared->other;
    if (c)
      finding_share_client(&report->client, c, &h->shared->arena);
    bool bad = hunt_look(h, c, &x, h->set->search, false, &how);
    one_coverage(h, &x, how, bad);
  }
  client_free(&own);
}

static void hunt_replay(struct hunt *h) {
  const struct schedule *s = &h->order->saved[0];
  struct client own = {0};
  const struct client *c = h->order->program ? NULL : &own;
  if (c && !hunt_read_client(h, s->client, &own))
    return;
  h->r->coverage.one_client = true;
  h->r->coverage.sentence = xstrdup("one schedule, run twice");
  h->clients = 1;
  h->replay = true;
  enum rt_end end = hunt_prepare(h, c);
  if (end != RT_DONE) {
    hunt_setup_failed(h, c, end);
    return;
  }
  path p = {0};
  schedule_to_path(s, &p);
  struct retrace how = {.at = p.at,
                        .len = p.len,
                        .only_choices = h->order->only_choices,
                        .good_too = true};
  struct finding *f = finding_make(&h->jury, &how, h->shared);
  struct hunt_report *report = h->shared->other;
  report->diverged = how.diverged;
  h->r->statistics.executions = 2;
  if (f->fault != FAULT_NONE) {
    hunt_conclude(h, f);
  } else { /* shown all the same */
    h->r->finding = f;
    h->r->verdict = f->detail ? VERDICT_UNKNOWN : VERDICT_PASS;
    h->r->reason = f->detail ? xstrdup(f->detail) : NULL;
  }
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
  if (order->native) /* long clients, run one call after the other */
    o.max_steps = UINT32_MAX;
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
                       .criterion =
                           h.set->criterion ? "sequential" : "linearizability",
                       .memory_model = "sc",
                       .heap = h.set->heap ? "reuse" : "quarantine",
                       .base = rt_base()};
  if (!open_suite(&h))
    return s->error.code;
  if (order->replay_only)
    hunt_replay(&h);
  else if (h.set->search == SEARCH_STRESS)
    hunt_stress(&h);
  else if (h.set->client || order->program)
    hunt_one(&h);
  else
    hunt_clients(&h);
  if (s->error.code)
    return s->error.code;
  r->statistics.clients = h.clients;
  if (r->verdict == VERDICT_PASS && !h.replay && !order->native &&
      !rt_accesses()) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = xstrdup("no operation touched memory that threads share: "
                        "nothing was checked");
  } else if (r->verdict == VERDICT_PASS && !r->statistics.executions) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = xstrdup("no execution came to its end: nothing was checked");
  } else if (r->verdict == VERDICT_PASS && h.jury.undecided) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = xasprintf("%llu histories were too hard to check",
                          (unsigned long long)h.jury.undecided);
  }
  r->statistics.seconds = explore_now() - h.begun;
  share_result(&h);
  return ERR_NONE;
}
