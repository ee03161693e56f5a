#include "campaign/object_run.h"

#include "base/clock.h"
#include "campaign/autopsy.h"
#include "campaign/campaign.h"
#include "code/unreached.h"
#include "hunt/doubt.h"
#include "proc/phase.h"
#include "proc/pool_remote.h"
#include "rt/rt.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { STRESS_HANG_SECONDS = 60 };

double processor_seconds(void) {
  double seconds = 0;
  for (int children = 0; children < 2; children++) {
    struct rusage u;
    if (getrusage(children ? RUSAGE_CHILDREN : RUSAGE_SELF, &u))
      continue;
    seconds += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
  }
  return seconds;
}

void object_run_plain(const struct built *b, struct object_run *r,
                      const struct target *t) {
  assert(t->program || t->suite < b->about->nsuites);
  const struct settings *set = t->settings;
  const struct board *board = r->worker.board;
  r->report = NULL;
  r->result = (struct result){
      .object = t->program ? "program" : b->about->suites[t->suite].name,
      .seed = set->seed,
      .search = search_name[set->search],
      .heap = set->heap ? "reuse" : "quarantine",
      .expect_fault = !t->program && b->about->suites[t->suite].expect_fault,
      .statistics = {.executions = board->executions,
                     .clients = board->clients}};
  settings_tell(set, &r->result);
}

static char *own_text(struct built *b, char *text) {
  char *own = text ? arena_strdup(&b->arena, text) : NULL;
  free(text);
  return own;
}

static void set_reason(struct built *b, struct result *r, const char *why) {
  r->verdict = VERDICT_UNKNOWN;
  r->reason = arena_strdup(&b->arena, why);
}

/* Takes the result of a worker; if it died or hung, makes one. */
static int take_worker(struct built *b, struct object_run *r,
                       const struct target *t, enum worker_end end,
                       struct error *e) {
  if (end == WORKER_DONE) {
    r->result = hunt_answer(&r->worker)->result;
    r->report = &hunt_answer(&r->worker)->report;
  } else if ((end == WORKER_DIED || end == WORKER_HANGS) &&
             r->worker.board->known) {
    struct dead_worker dead = dead_worker_of(&r->worker, end, &b->arena);
    autopsy(b, r, t, &dead);
  } else if (end == WORKER_DIED && r->worker.garbled) {
    autopsy_garbled(b, r, t);
  } else if (end == WORKER_DIED && autopsy_stopped(r->worker.status)) {
    autopsy_outside(b, r, t, r->worker.status);
  } else if (end == WORKER_INTERRUPTED) {
    b->interrupted = true;
    object_run_plain(b, r, t);
    set_reason(b, &r->result, "interrupted");
    r->result.coverage.sentence =
        arena_strdup(&b->arena, "the search was not finished");
  } else {
    return built_worker_trouble(&r->worker, end, e);
  }
  return ERR_NONE;
}

/* Adds the totals of the campaign to the result. */
static void add_totals(struct object_run *r, const struct campaign *c) {
  struct statistics *s = &r->result.statistics;
  const struct statistics *t = &c->totals.statistics;
  s->executions += t->executions;
  s->cut += t->cut;
  s->blocked += t->blocked;
  s->events += t->events;
  s->states += t->states;
  s->transitions += t->transitions;
  s->histories += t->histories;
  s->replays += t->replays;
  s->clients = t->clients;
  s->interleavings = c->totals.interleavings;
  r->result.chance = c->totals.chance;
}

/* Copies the outcomes of the one client into b->arena. */
static void add_outcomes(struct built *b, struct object_run *r,
                         const struct campaign *c) {
  struct arena *a = &b->arena;
  outcome_list *to = &r->report->outcomes;
  to->at = arena_alloc(a, (c->outcomes.len + 1) * sizeof *to->at);
  r->report->faults = c->totals.faults;
  for (uint32_t i = 0; i < c->outcomes.len; i++) {
    const struct outcome *from = &c->outcomes.at[i];
    if (from->results.len != r->report->client.ncalls)
      continue; /* the code has damaged the answer */
    struct outcome *o = &to->at[to->len++];
    *o = *from;
    o->results.at = arena_copy(a, from->results.at,
                               from->results.len * sizeof *from->results.at);
  }
}

static void put_estimate(struct built *b, struct object_run *r,
                         const struct campaign *c) {
  double low, high;
  if (!r->result.coverage.limit || !estimate_total(&c->estimate, &low, &high))
    return;
  struct buf words = {0};
  int search = c->target->settings->search;
  bool states = search == SEARCH_AUTO || search == SEARCH_STATEFUL;
  estimate_words(&c->estimate, states ? "state" : "execution", &words);
  buf_puts(&words, ", if the rest is like the part that was searched");
  r->result.coverage.estimate = arena_strdup(&b->arena, buf_text(&words));
  buf_free(&words);
}

/* A pass says which functions of the object no client came to.  Other machines
 * do not tell what they came to. */
static void add_unreached(struct built *b, const struct target *t,
                          struct coverage *v) {
  struct rt_reached reached = rt_reached();
  const struct suite_info *of = &b->about->suites[t->suite];
  VEC(uint64_t) entries = {0};
  unreached_list list = {0};
  reached_line_list lines = {0};
  struct error ignored = {0};
  for (uint32_t i = 0; i < of->nops; i++)
    if (of->ops[i].code)
      vec_push(&entries, of->ops[i].code);
  if (reached.at && !remote_slots())
    unreached_find(b->lines, &b->probe.sites, reached.at, reached.span,
                   entries.at, entries.len, &list, &lines, &ignored);
  if (list.len)
    coverage_add_unreached(v, &list, &lines);
  vec_free(&lines);
  vec_free(&entries);
  vec_free(&list);
}

/* Sets the coverage; a pass becomes unknown if too little was checked. */
static void judge_campaign(struct built *b, struct object_run *r,
                           const struct campaign *c) {
  const struct settings *set = c->target->settings;
  struct result *result = &r->result;
  struct coverage *v = &result->coverage;
  bool one = set->client || c->target->program, limit_ended = false;
  if (one)
    coverage_of_one(&c->totals, set, v, &limit_ended);
  else
    coverage_of_clients(&c->totals, set, c->deadline, v);
  if (!one && result->verdict == VERDICT_PASS)
    add_unreached(b, c->target, v);
  if (!one && result->verdict == VERDICT_PASS && c->totals.still)
    coverage_add_still(v);
  bool asks = !c->target->program && !c->target->want_outcomes &&
              b->about->suites[c->target->suite].progress;
  if (asks && result->verdict == VERDICT_PASS)
    coverage_add_progress(v, c->totals.progress);
  if (!c->target->program && !b->about->suites[c->target->suite].is_judged &&
      result->verdict == VERDICT_PASS)
    coverage_add_unjudged(v);
  v->sentence = own_text(b, v->sentence);
  v->limit = own_text(b, v->limit);
  if (one)
    put_estimate(b, r, c);
  if (result->verdict != VERDICT_PASS)
    return;
  if (limit_ended) {
    result->reason = v->limit ? xasprintf("%s ended the search", v->limit)
                              : xstrdup("the search did not end");
    result->verdict = VERDICT_UNKNOWN;
  } else if (!one && !c->totals.statistics.clients) {
    result->verdict = VERDICT_UNKNOWN;
    result->reason =
        xstrdup(c->totals.all ? "no client could be made of these operations"
                              : "the budget ended before the first client");
  } else if (!c->totals.touched) {
    result->verdict = VERDICT_UNKNOWN;
    result->reason = xstrdup("no operation touched memory that threads share: "
                             "nothing was checked");
  } else if (asks && !c->totals.progress) {
    result->verdict = VERDICT_UNKNOWN;
    result->reason = xstrdup("FL_PROGRESS was decided for no client: each has "
                             "too many states");
  } else {
    result_doubts(result, c->totals.undecided, NULL);
  }
  if (result->verdict == VERDICT_PASS)
    result_doubts_cut(result, c->totals.endless);
  if (result->verdict != VERDICT_PASS)
    result->reason = own_text(b, result->reason);
}

/* A worker makes the finding of a bad execution or a failing set-up. */
static int conclude(struct built *b, struct object_run *r, struct campaign *c,
                    bool interrupted, struct error *e) {
  const struct settings *set = c->target->settings;
  struct target target = *c->target;
  struct hunt_question question = {
      .target = &target,
      .kind = HUNT_CONCLUDE,
      .conclude = {.client = c->bad.client,
                   .path = c->bad.bad.at,
                   .len = c->bad.bad.len,
                   .simplify = !set->client && !interrupted,
                   .tidy = !target.want_outcomes && !interrupted}};
  struct object_run last = {.worker.show_output = set->show_output};
  bool late = false;
  if (interrupted)
    worker_go_on();
  target.late = &late;
  phase_begin("shrink");
  int err =
      take_worker(b, &last, &target, hunt_worker(&last.worker, &question), e);
  if (err) {
    worker_release(&last.worker);
    return err;
  }
  c->totals.found = true;
  c->totals.minimizing = last.report ? last.report->minimizing : 0;
  if (set->client) /* count only the executions of the search */
    last.result.statistics = (struct statistics){0};
  last.late = late;
  worker_release(&r->worker);
  *r = last;
  return ERR_NONE;
}

static void take_death(struct built *b, struct object_run *r,
                       const struct campaign *c, bool hangs) {
  struct dead_worker dead = {.end = hangs ? WORKER_HANGS : WORKER_DIED,
                             .status = c->death.status,
                             .garbled = c->death.garbled,
                             .hang = c->death.hang,
                             .client = c->death.client ? c->death.client : "",
                             .path = c->death.path,
                             .len = c->death.len,
                             .only_choices = c->death.only_choices,
                             .statistics = c->totals.statistics};
  worker_release(&r->worker);
  worker_map(&r->worker);
  autopsy(b, r, c->target, &dead);
}

static int end_campaign(struct built *b, struct object_run *r,
                        struct campaign *c, enum campaign_end end,
                        struct error *e) {
  bool bad = c->bad.kind != RECORD_DONE;
  if (end == CAMPAIGN_ERROR)
    return e->code;
  if (end == CAMPAIGN_DEATH || end == CAMPAIGN_HANGS) {
    if (!c->death.known && end == CAMPAIGN_DEATH && c->death.garbled) {
      autopsy_garbled(b, r, c->target);
      return ERR_NONE;
    }
    if (!c->death.known && end == CAMPAIGN_DEATH &&
        autopsy_stopped(c->death.status)) {
      autopsy_outside(b, r, c->target, c->death.status);
      return ERR_NONE;
    }
    if (!c->death.known)
      return error_set(e, ERR_SYSTEM, "a worker died before its first client");
    take_death(b, r, c, end == CAMPAIGN_HANGS);
    return ERR_NONE;
  }
  b->interrupted |= end == CAMPAIGN_INTERRUPTED;
  if (bad && conclude(b, r, c, end == CAMPAIGN_INTERRUPTED, e))
    return e->code;
  add_totals(r, c);
  if (r->report && c->target->want_outcomes)
    add_outcomes(b, r, c);
  if (!bad && end == CAMPAIGN_INTERRUPTED)
    set_reason(b, &r->result, c->lost ? c->lost : "interrupted");
  if (!bad && end == CAMPAIGN_KILLED)
    set_reason(b, &r->result,
               "its worker was killed three times (by SIGKILL: is there enough "
               "memory?)");
  judge_campaign(b, r, c);
  return ERR_NONE;
}

/* One worker tries saved schedules and sequences, then a pool does the rest. */
static int hunt_object(struct built *b, struct object_run *r,
                       const struct hunt_question *q, struct error *e) {
  const struct target *t = q->target;
  double begun = clock_now(), cpu = processor_seconds();
  struct campaign c = {.target = t};
  if (t->settings->time > 0)
    c.deadline = begun + t->settings->time;
  phase_begin("sequences");
  enum worker_end end = hunt_worker(&r->worker, q);
  int err = take_worker(b, r, t, end, e);
  r->result.statistics.cpu.search = processor_seconds() - cpu;
  r->repeatable = !err && end == WORKER_DONE && r->result.finding;
  if (err || end != WORKER_DONE || r->result.finding ||
      r->result.verdict != VERDICT_PASS)
    return err;
  c.totals.sequences = r->report->sequences;
  c.totals.still = r->report->still;
  c.totals.statistics = r->result.statistics;
  r->result.statistics = (struct statistics){0};
  phase_begin("search");
  enum campaign_end how = campaign_run(&c, e);
  if (c.lost && how != CAMPAIGN_INTERRUPTED)
    built_warn(b, xasprintf("warning: %s, which others did again", c.lost));
  double found = processor_seconds();
  err = end_campaign(b, r, &c, how, e);
  r->result.statistics.cpu.search = found - cpu;
  r->result.statistics.cpu.minimize = processor_seconds() - found;
  r->repeatable = !err && r->result.finding && how == CAMPAIGN_BAD;
  r->begun = begun;
  campaign_free(&c);
  return err;
}

static int hunt_alone(struct built *b, struct object_run *r,
                      const struct hunt_question *q, struct error *e) {
  bool replay = q->kind == HUNT_REPLAY;
  phase_begin(replay ? "replay" : q->kind == HUNT_SHRINK ? "shrink" : "stress");
  phase_budget(replay ? 0 : q->target->settings->time);
  enum worker_end end = hunt_worker(&r->worker, q);
  int err = take_worker(b, r, q->target, end, e);
  r->repeatable = !err && end == WORKER_DONE && r->result.finding;
  return err;
}

/* Two runs differ: names the functions that may be the reason. */
static void name_unmodelled(struct built *b, struct result *r) {
  struct buf words = {0};
  if (!r->finding || r->finding->fault != FAULT_DIVERGENCE ||
      !b->probe.unknown.len)
    return;
  buf_printf(&words, "%s. It calls functions that Faultline does not model: ",
             r->finding->detail);
  for (uint32_t i = 0; i < b->probe.unknown.len; i++)
    buf_printf(&words, "%s%s()", i ? ", " : "", b->probe.unknown.at[i]);
  r->finding->detail = arena_strdup(&b->arena, buf_text(&words));
  buf_free(&words);
}

/* Adds what the inspection of the object says about the result. */
static void add_doubts(struct built *b, struct result *r) {
  r->partial = built_partial(b);
  name_unmodelled(b, r);
  if (r->verdict == VERDICT_PASS && !b->probe.hooks && !b->probe.sites.len)
    set_reason(b, r, "no access of the code has a hook: nothing was checked");
}

int object_run(struct built *b, struct object_run *r,
               const struct hunt_question *q, struct error *e) {
  const struct settings *set = q->target->settings;
  *r = (struct object_run){.worker.show_output = set->show_output,
                           .settings = *set};
  bool alone = hunt_is_alone(q->kind);
  if (set->time > 0 && !alone) /* twice: once to search, once to minimise */
    r->worker.max_seconds = 2 * (uint32_t)set->time + LATE_SECONDS;
  if (q->target->native) /* longer than the watchdog of stress */
    r->worker.hang_seconds = STRESS_HANG_SECONDS;
  int err = alone ? hunt_alone(b, r, q, e) : hunt_object(b, r, q, e);
  if (err)
    worker_release(&r->worker);
  else
    add_doubts(b, &r->result);
  assert(err == e->code && (!r->repeatable || (r->result.finding && !err)));
  r->settings = *set;
  return err;
}
