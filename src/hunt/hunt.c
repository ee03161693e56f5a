#include "hunt/inside.h"

#include "base/clock.h"
#include "hunt/answer.h"
#include "hunt/doubt.h"
#include "hunt/finding.h"
#include "hunt/shrink.h"
#include "spec/implementation.h"
#include "spec/reference.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Most bytes for the states of a specification, whose tables have 32-bit
 * indices. */
#define MOST_STATES ((uint64_t)8 << 30)

/* Of a target that is searched briefly: steps beyond those that the calls need
 * one after the other, and steps of one thread alone. */
enum { BRIEF_STEPS = 200, BRIEF_ALONE = 5000 };

/* ---- what all parts of the hunt use ---- */

bool hunt_goes_on(const struct hunt *h) {
  if (h->timed && clock_now() >= h->deadline)
    return false;
  return !h->counted || statistics_runs(&h->r->statistics) < h->max_executions;
}

uint64_t hunt_executions_left(const struct hunt *h, uint64_t most) {
  if (!h->counted)
    return most;
  uint64_t done = statistics_runs(&h->r->statistics), all = h->max_executions;
  uint64_t left = done < all ? all - done : 1;
  return most && most < left ? most : left;
}

static void publish_client(struct hunt *h, const struct client *c) {
  struct buf b = {0};
  if (c)
    client_print(c, &h->object.names, &b);
  /* The board first: a process that dies here died of the client before. */
  board_write(h->work->board, buf_text(&b), h->clients,
              h->r->statistics.executions);
  h->shared->path.len = h->shared->path.nmarks = 0;
  h->shared->clients++;
  h->shared->heartbeat++;
  buf_free(&b);
}

bool hunt_leaves_out(const struct hunt *h, const struct client *c) {
  return client_has_part_of(c, h->target->known, h->target->nknown);
}

double hunt_until(const struct hunt *h, double seconds) {
  double now = clock_now(), half = (h->target->latest - now) / 2;
  if (h->target->latest && (half < seconds || h->set->time > 0))
    seconds = half > 0 ? half : 0;
  return now + seconds;
}

void hunt_explore_init(struct hunt *h, struct explore *x) {
  *x = (struct explore){.judge = checker_judge(&h->checker),
                        .deadline = h->deadline,
                        .late = &h->late,
                        .seed = h->set->seed,
                        /* Accesses without hooks make conflicts that the
                         * reduction does not see. */
                        .no_reduction =
                            h->set->no_reduction || h->target->partial,
                        .guards = true,
                        .no_real_time = h->set->no_real_time,
                        .depth = (uint32_t)h->set->depth,
                        .bound_preemptions = h->set->bound_preemptions,
                        .preemptions = (uint32_t)h->set->preemptions,
                        .heartbeat = &h->shared->heartbeat,
                        .share = &h->shared->share,
                        .work = &h->shared->work,
                        .visited = &h->visited,
                        .live = &h->shared->path};
}

void hunt_add_up(struct hunt *h, const struct explore *x) {
  struct statistics *s = &h->r->statistics;
  s->executions += x->executions;
  s->cut += x->cut;
  s->blocked += x->blocked;
  s->events += x->steps;
  s->states += x->states;
  s->transitions += x->transitions;
  s->histories = h->checker.histories;
  h->shared->executions = s->executions;
}

enum rt_end hunt_prepare(struct hunt *h, const struct client *c) {
  publish_client(h, c);
  enum rt_end end = rt_prepare(h->checker.suite, c);
  if (end == RT_DONE)
    checker_client(&h->checker, c);
  return end;
}

/* D-PCT: estimated steps of each call of the prepared client. */
static void estimate_calls(struct hunt *h, struct explore *x) {
  const struct client *c = h->checker.client;
  assert(c && h->target->nestimates >= h->object.names.count);
  vec_clear(&h->estimate);
  for (uint32_t i = 0; i < c->ncalls; i++)
    vec_push(&h->estimate, h->target->estimates[c->calls[i].op]);
  x->estimate = h->estimate.at;
  x->nestimates = h->estimate.len;
}

/* The bound of a run is the smallest bound of its clients. */
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
  case SEARCH_DPOR: /* FL_ALWAYS asks about states that it leaves out */
    return h->checker.suite && h->checker.suite->abi >= 4 &&
                   h->checker.suite->always
               ? explore_stateful(x)
               : explore_dpor(x);
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
  hunt_add_up(h, x);
  return end;
}

void hunt_conclude(struct hunt *h, struct finding *f) {
  assert(f && f->fault != FAULT_NONE);
  h->found = true;
  h->r->finding = f;
  h->r->verdict =
      f->fault == FAULT_NOT_LINEARIZABLE || f->fault == FAULT_SEQUENTIAL
          ? VERDICT_VIOLATION
      : fault_is_doubt(f->fault) ? VERDICT_UNKNOWN
                                 : VERDICT_ERROR;
  if (fault_is_doubt(f->fault) && f->detail)
    h->r->reason = xstrdup(f->detail);
}

bool hunt_look(struct hunt *h, const struct client *c, struct explore *x,
               int search, bool simplify, enum explore_end *how) {
  *how = hunt_explore(h, x, search);
  if (*how != EXPLORE_BAD && !(x->all && x->bad_count)) {
    vec_free(&x->bad);
    return false;
  }
  struct bad b = {.path = x->bad};
  if (c)
    client_copy(&b.client, c);
  hunt_minimize(h, &b, simplify, simplify);
  client_free(&b.client);
  vec_free(&b.path);
  return true;
}

bool hunt_setup_failed(struct hunt *h, const struct client *c,
                       enum rt_end end) {
  hunt_conclude(h, finding_of_setup(c, end, h->work));
  return true;
}

/* ---- the phases ---- */

bool hunt_read_client(struct hunt *h, const char *text, struct client *c) {
  if (client_read(c, text, &h->object.names, h->object.nargs, &h->work->error))
    return false;
  if ((rt_tso() || rt_c11()) && c->nthreads >= RT_BUFFERS)
    return error_set(
               &h->work->error, ERR_USAGE,
               "the client has %u threads; under the memory model %s there "
               "are at most %d",
               c->nthreads, rt_c11() ? "c11" : "tso", RT_BUFFERS - 1),
           false;
  if (rt_c11() && c->ncalls > HISTORY_PARTIAL)
    return error_set(
               &h->work->error, ERR_USAGE,
               "the client has %u calls; under the memory model c11 there "
               "are at most %d",
               c->ncalls, HISTORY_PARTIAL),
           false;
  char *trouble = object_client_trouble(&h->object, c);
  if (trouble)
    error_set(&h->work->error, ERR_USAGE, "%s", trouble);
  free(trouble);
  return !h->work->error.code;
}

/* True: the saved schedule fails again. */
static bool try_saved_one(struct hunt *h, const struct schedule *s,
                          const struct client *c) {
  if (hunt_prepare(h, c) != RT_DONE)
    return false;
  path p = {0};
  struct replay r;
  schedule_to_path(s, &p);
  replay_init(&r, p.at, p.len);
  struct judge judge = checker_judge(&h->checker);
  bool bad = judge.ended(judge.ctx, rt_run(&r.driver)) == JUDGE_BAD;
  h->r->statistics.executions++;
  h->r->statistics.events += rt_steps();
  h->r->statistics.histories = h->checker.histories;
  if (bad) {
    struct bad b = {.path = r.taken};
    client_copy(&b.client, c);
    r.taken = (path){0};
    hunt_minimize(h, &b, !h->set->client, true);
    client_free(&b.client);
    vec_free(&b.path);
  }
  replay_free(&r);
  vec_free(&p);
  return bad;
}

/* Schedules of earlier runs; true: one of them fails again. */
static bool try_saved(struct hunt *h, const struct schedule *saved,
                      uint32_t n) {
  bool bad = false;
  for (uint32_t i = 0; i < n && !bad; i++) {
    const struct schedule *s = &saved[i];
    struct client c = {0};
    struct error ignored = {0};
    if (client_read(&c, s->client, &h->object.names, h->object.nargs, &ignored))
      continue; /* the harness has changed since */
    h->r->statistics.replays++;
    bad = try_saved_one(h, s, &c);
    client_free(&c);
  }
  if (bad) {
    h->clients = 1;
    h->r->statistics.clients = 1;
    h->r->coverage.sentence =
        xstrdup("a saved schedule fails; nothing else was tried");
  }
  return bad;
}

/* --client: reports name the outcomes by the calls of this client. */
static void begin_one(struct hunt *h) {
  struct client own = {0};
  h->r->coverage.one_client = true;
  if (h->target->program || !hunt_read_client(h, h->set->client, &own))
    return;
  struct hunt_report *report = h->work->own;
  finding_share_client(&report->client, &own, &h->work->arena);
  client_free(&own);
}

/* Before the campaign: checks that are quick in a single process. */
static void begin(struct hunt *h, const struct hunt_question *q) {
  bool one = h->set->client || h->target->program;
  if (one)
    begin_one(h);
  if (!h->work->error.code && !try_saved(h, q->begin.saved, q->begin.nsaved) &&
      !one && h->set->data_races != DATA_RACES_ONLY)
    hunt_sequences(h);
}

/* The path was bad in another process: is it bad here, too? */
static bool is_bad_again(struct hunt *h, const struct conclusion *c) {
  struct replay r;
  struct judge judge = checker_judge(&h->checker);
  replay_init(&r, c->path, c->len);
  bool bad = judge.ended(judge.ctx, rt_run(&r.driver)) == JUDGE_BAD;
  replay_free(&r);
  return bad;
}

/* After the campaign: from its bad execution to the finding. */
static void conclude(struct hunt *h, const struct conclusion *c) {
  struct bad b = {0};
  const struct client *client = h->target->program ? NULL : &b.client;
  if (client && !hunt_read_client(h, c->client, &b.client))
    return;
  if (h->set->client || h->target->program)
    begin_one(h);
  h->clients = 1;
  enum rt_end end = hunt_prepare(h, client);
  if (end != RT_DONE) {
    hunt_setup_failed(h, client, end);
  } else if (!is_bad_again(h, c)) {
    hunt_not_repeatable(h, c->path, c->len);
  } else {
    for (uint32_t i = 0; i < c->len; i++)
      vec_push(&b.path, c->path[i]);
    hunt_minimize(h, &b, c->simplify, c->tidy);
  }
  client_free(&b.client);
  vec_free(&b.path);
}

static void replay(struct hunt *h, const struct hunt_question *q) {
  const struct schedule *s = q->replay.schedule;
  assert(q->kind == HUNT_REPLAY && s);
  struct client own = {0};
  const struct client *c = h->target->program ? NULL : &own;
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
                        .only_choices = q->replay.only_choices,
                        .good_too = true};
  struct finding *f = finding_make(&h->checker, &how, h->work);
  struct hunt_report *report = h->work->own;
  report->diverged = how.diverged;
  h->r->statistics.executions = 2;
  if (f->fault != FAULT_NONE) {
    hunt_conclude(h, f);
  } else { /* the report shows a good execution, too */
    h->r->finding = f;
    h->r->verdict = f->detail ? VERDICT_UNKNOWN : VERDICT_PASS;
    h->r->reason = f->detail ? xstrdup(f->detail) : NULL;
  }
  vec_free(&p);
}

/* ---- */

static void put_place(void *ctx, uint64_t pc, struct buf *out) {
  const struct target *t = ((const struct hunt *)ctx)->target;
  if (t->lines && t->put_place)
    t->put_place(t->lines, pc, out);
}

/* Quiescent consistency lets calls of one thread change places.  The engine
 * makes them in their order, so the object cannot show what would be right. */
static bool criterion_fits(struct hunt *h) {
  const struct fl_suite *s = h->checker.suite;
  if (h->checker.criterion != CRITERION_QUIESCENT || s->spec)
    return true;
  struct buf at = {0};
  if (h->set->criterion_from == MODEL_HARNESS)
    buf_printf(&at, "%s:%d: FL_CRITERION(quiescent)", s->file,
               s->criterion_line);
  else
    buf_printf(&at, "%s:%d: --criterion=quiescent", s->file, s->line);
  error_set(&h->work->error, ERR_INPUT,
            "%s: %s needs an FL_SPEC, since quiescent consistency lets calls "
            "of one thread change places, which the object itself cannot show",
            buf_text(&at), s->name);
  buf_free(&at);
  return false;
}

static bool open_suite(struct hunt *h) {
  if (h->target->program) {
    h->r->object = "program";
    h->r->spec = xstrdup("none: assertions and faults only");
    return true;
  }
  struct fl_suite *s = rt_suites();
  for (uint32_t i = 0; i < h->target->suite; i++)
    s = s->next;
  h->checker.suite = s;
  object_init(&h->object, s);
  h->r->object = s->name;
  h->r->expect_fault = s->expect_fault;
  h->r->names = h->object.names;
  bool reference =
      (h->checker.spec = spec_reference(s, put_place, h, &h->work->error));
  if (!reference && !h->work->error.code)
    h->checker.spec = spec_builtin(s, &h->work->error);
  if (h->work->error.code)
    return false;
  if (h->checker.spec) {
    h->r->spec =
        xasprintf("%s%s", reference ? "the " : "", h->checker.spec->name);
  } else {
    h->checker.spec = spec_implementation();
    h->checker.implementation = true;
    h->r->spec = xstrdup("the object itself, run sequentially");
  }
  if (spec_take_readings(h->checker.spec, s, &h->work->error) ||
      !criterion_fits(h))
    return false;
  h->checker.spec->max_bytes = h->set->memory && h->set->memory < MOST_STATES
                                   ? h->set->memory
                                   : MOST_STATES;
  return true;
}

int hunt_open(struct hunt *h, const struct target *t, struct work *s,
              struct result *r) {
  *h = (struct hunt){.target = t,
                     .set = t->settings,
                     .work = s,
                     .shared = s->shared,
                     .r = r,
                     .begun = clock_now()};
  struct rt_options o;
  settings_engine(h->set, &o);
  o.uses_tls = t->uses_tls;
  o.uses_fenv = t->uses_fenv;
  o.uses_clock = t->uses_clock;
  if (t->brief && o.max_steps > BRIEF_STEPS)
    o.max_steps = BRIEF_STEPS;
  o.max_alone = t->brief ? BRIEF_ALONE : 0;
  if (t->native) /* the engine runs long clients serially */
    o.max_steps = UINT32_MAX;
  int err = rt_open(t->so, &o, &s->error);
  if (err)
    return err;
  if (s->recording)
    s->recording->base = rt_base();
  rt_part_stores(t->part_stores, t->npart_stores);
  rt_sites(t->sites, t->nsites);
  rt_wake_after(t->wake);
  rt_atomic(t->regions);
  rt_fences(t->fences, t->nfences);
  if (h->set->time > 0) {
    h->timed = true;
    h->deadline = h->begun + h->set->time;
  }
  h->counted = h->set->max_executions != 0;
  h->max_executions = h->set->max_executions;
  h->checker.criterion = (enum criterion)h->set->criterion;
  h->checker.set_aside = t->set_aside;
  h->checker.nset_aside = t->nset_aside;
  h->checker.brief = t->brief;
  if (h->set->data_races == DATA_RACES_ONLY)
    h->checker.only = FAULT_DATA_RACE;
  *r = (struct result){.verdict = VERDICT_PASS,
                       .seed = h->set->seed,
                       .search = search_name[h->set->search],
                       .heap = h->set->heap ? "reuse" : "quarantine",
                       .base = rt_base()};
  settings_tell(h->set, r);
  return open_suite(h) ? ERR_NONE : s->error.code;
}

static void count_real(struct hunt *h) {
  struct result *r = h->r;
  r->statistics.clients = h->clients;
  if (r->verdict == VERDICT_PASS)
    result_doubts(r, h->checker.undecided, h->checker.limit);
}

static void answer(struct hunt *h, const struct hunt_question *q) {
  switch (q->kind) {
  case HUNT_BEGIN:
    begin(h, q);
    break;
  case HUNT_CONCLUDE:
    conclude(h, &q->conclude);
    break;
  case HUNT_REPLAY:
    replay(h, q);
    break;
  case HUNT_STRESS:
    hunt_stress(h);
    break;
  case HUNT_SHRINK:
    hunt_shrink_command(h);
    break;
  }
}

/* For worker_run. */
static int hunt_run(void *arg, struct work *s) {
  const struct hunt_question *q = arg;
  struct hunt h;
  struct hunt_answer *to = arena_alloc(&s->arena, sizeof *to);
  s->answer = to;
  s->own = &to->report;
  int err = hunt_open(&h, q->target, s, &to->result);
  if (err)
    return err;
  answer(&h, q);
  if (s->error.code)
    return s->error.code;
  if (hunt_is_alone(q->kind))
    count_real(&h);
  to->report.sequences = h.sequences;
  to->report.still = h.still;
  to->report.minimizing = h.minimizing;
  to->report.late = h.late;
  h.r->statistics.seconds = clock_now() - h.begun;
  return ERR_NONE;
}

enum worker_end hunt_worker(struct worker *w, const struct hunt_question *q) {
  w->noun = &noun_hunt_answer;
  enum worker_end end = target_ask(q->target, w, hunt_run, (void *)q);
  if (end == WORKER_DONE && hunt_answer(w)->report.late)
    target_is_late(q->target);
  return end;
}
