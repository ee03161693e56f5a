/*
 * One object: a worker begins, a campaign goes on, a worker concludes; and
 * what each of them may come to.
 */
#include "base/clock.h"
#include "cli/autopsy.h"
#include "cli/campaign.h"
#include "cli/census.h"
#include "cli/fences.h"
#include "cli/patch.h"
#include "cli/races.h"
#include "cli/repair.h"
#include "proc/phase.h"

#include <stdlib.h>
#include <sys/resource.h>

enum {
  STRESS_HANG_SECONDS = 60,
  EXPLAIN_SECONDS = 60, /* all that is said about a fault, … */
  EXPLAIN_LEAST = 10,   /* … or as long as --time, but not less */
};

void session_plain_result(const struct session *s, struct run *r,
                          const struct hunt_order *order) {
  const struct settings *set = s->settings;
  const struct board *b = r->worker.board;
  r->report = NULL;
  r->result = (struct result){
      .object =
          order->program ? "program" : s->about->suites[order->suite].name,
      .seed = set->seed,
      .search = search_name[set->search],
      .criterion = set->criterion ? "sequential" : "linearizability",
      .heap = set->heap ? "reuse" : "quarantine",
      .expect_fault =
          !order->program && s->about->suites[order->suite].expect_fault,
      .statistics = {.executions = b->executions, .clients = b->clients}};
  settings_tell_model(set, &r->result);
}

static char *own_text(struct session *s, char *text) {
  char *own = text ? arena_strdup(&s->arena, text) : NULL;
  free(text);
  return own;
}

static void set_reason(struct session *s, struct result *r, const char *why) {
  r->verdict = VERDICT_UNKNOWN;
  r->reason = arena_strdup(&s->arena, why);
}

/* A worker's result, or that of its death. */
static int take_worker(struct session *s, struct run *r,
                       const struct hunt_order *order, enum worker_end end,
                       struct error *e) {
  if (end == WORKER_DONE) {
    r->result = hunt_answer(&r->worker)->result;
    r->report = &hunt_answer(&r->worker)->report;
  } else if ((end == WORKER_DIED || end == WORKER_HANGS) &&
             r->worker.board->known) {
    struct corpse corpse = corpse_of(&r->worker, end, &s->arena);
    autopsy(s, r, order, &corpse);
  } else if (end == WORKER_DIED && r->worker.garbled) {
    autopsy_garbled(s, r, order);
  } else if (end == WORKER_DIED && autopsy_stopped(r->worker.status)) {
    autopsy_outside(s, r, order, r->worker.status);
  } else if (end == WORKER_INTERRUPTED) {
    s->interrupted = true;
    session_plain_result(s, r, order);
    set_reason(s, &r->result, "interrupted");
    r->result.coverage.sentence =
        arena_strdup(&s->arena, "the search was not finished");
  } else {
    return session_worker_trouble(&r->worker, end, e);
  }
  return ERR_NONE;
}

/* What the campaign counted joins what the result has. */
static void add_totals(struct run *r, const struct campaign *c) {
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

/* The outcomes of the one client, in the session's memory. */
static void add_outcomes(struct session *s, struct run *r,
                         const struct campaign *c) {
  struct arena *a = &s->arena;
  outcome_list *to = &r->report->outcomes;
  to->at = arena_alloc(a, (c->outcomes.len + 1) * sizeof *to->at);
  r->report->faults = c->totals.faults;
  for (uint32_t i = 0; i < c->outcomes.len; i++) {
    const struct outcome *from = &c->outcomes.at[i];
    if (from->results.len != r->report->client.ncalls)
      continue; /* whoever told it was out of order */
    struct outcome *o = &to->at[to->len++];
    *o = *from;
    o->results.at = arena_copy(a, from->results.at,
                               from->results.len * sizeof *from->results.at);
  }
}

static void put_estimate(struct session *s, struct run *r,
                         const struct campaign *c) {
  double low, high;
  if (!r->result.coverage.limit || !estimate_total(&c->estimate, &low, &high))
    return;
  struct buf b = {0};
  bool states = s->settings->search == SEARCH_AUTO ||
                s->settings->search == SEARCH_STATEFUL;
  estimate_words(&c->estimate, states ? "state" : "execution", &b);
  buf_puts(&b, ", if the rest is like what was seen");
  r->result.coverage.estimate = arena_strdup(&s->arena, buf_text(&b));
  buf_free(&b);
}

/* What was covered, and what a pass is worth. */
static void judge_campaign(struct session *s, struct run *r,
                           const struct campaign *c) {
  const struct settings *set = s->settings;
  struct result *result = &r->result;
  struct coverage *v = &result->coverage;
  bool one = set->client || c->order->program, limit_ended = false;
  if (one)
    coverage_of_one(&c->totals, set, v, &limit_ended);
  else
    coverage_of_clients(&c->totals, set, c->deadline, v);
  v->sentence = own_text(s, v->sentence);
  v->limit = own_text(s, v->limit);
  if (one)
    put_estimate(s, r, c);
  if (result->verdict != VERDICT_PASS)
    return;
  if (limit_ended) {
    result->reason = v->limit ? xasprintf("%s ended the search", v->limit)
                              : xstrdup("the search came to no end");
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
  } else {
    result_doubts(result, c->totals.undecided, NULL);
  }
  if (result->verdict == VERDICT_PASS)
    result_doubts_cut(result, c->totals.endless);
  if (result->verdict != VERDICT_PASS)
    result->reason = own_text(s, result->reason);
}

/* Processor seconds of this process and of those that have ended. */
static double cpu_now(void) {
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

static double explain_seconds(const struct settings *set) {
  if (!set->time)
    return EXPLAIN_SECONDS;
  return set->time > EXPLAIN_LEAST ? set->time : EXPLAIN_LEAST;
}

/* What there is to say about a fault. */
static void explain_finding(struct session *s, struct run *r,
                            const struct hunt_order *found) {
  double begun = cpu_now(), most = explain_seconds(s->settings);
  struct hunt_order own = *found, *order = &own;
  order->late = &s->late;
  order->latest = clock_now() + most * 2 / 3; /* the rest for what follows */
  phase_fault();
  phase_begin(s->settings->model ? "fences" : "causes");
  bool fenced = fences(s, r, order);
  if (!fenced)
    repair(s, r, order);
  r->result.statistics.cpu.causes = cpu_now() - begun;
  if (!fenced && s->settings->patch)
    phase_begin("patch");
  double left = order->latest - clock_now();
  s->late |= left <= 0;
  if (!fenced)
    patch(s, r, found);
  order->latest = clock_now() + left + most / 3; /* --patch is apart */
  begun = cpu_now();
  phase_begin("label"); /* the states, for the races that decide */
  races(s, r, order);
  r->result.statistics.cpu.races = cpu_now() - begun;
  phase_begin("outcomes");
  census(s, r, order);
  s->late |= clock_now() >= order->latest;
  if (s->late && !s->interrupted)
    session_warn(s, xstrdup("warning: the fault is not fully explained: the "
                            "time for a part of that was over (--time gives "
                            "more), and another run may say more or less"));
  s->late = false;
}

/* A bad execution, or a setup that fails: a worker makes the finding. */
static int conclude(struct session *s, struct run *r, struct campaign *c,
                    bool interrupted, struct error *e) {
  struct conclusion found = {.client = c->bad.client,
                             .path = c->bad.bad.at,
                             .len = c->bad.bad.len,
                             .simplify = !s->settings->client && !interrupted,
                             .tidy = !c->order->want_outcomes && !interrupted};
  struct hunt_order order = *c->order;
  if (interrupted)
    worker_go_on();
  order.conclusion = &found;
  order.late = &s->late;
  struct run last = {.worker.show_output = s->settings->show_output};
  phase_begin("shrink");
  int err = take_worker(s, &last, &order, hunt_worker(&last.worker, &order), e);
  if (err) {
    worker_release(&last.worker);
    return err;
  }
  c->totals.found = true;
  c->totals.minimizing = last.report ? last.report->minimizing : 0;
  if (s->settings->client) /* the client's executions are counted, no others */
    last.result.statistics = (struct statistics){0};
  worker_release(&r->worker);
  *r = last;
  return ERR_NONE;
}

static void take_death(struct session *s, struct run *r,
                       const struct campaign *c, bool hangs) {
  struct corpse corpse = {.end = hangs ? WORKER_HANGS : WORKER_DIED,
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
  autopsy(s, r, c->order, &corpse);
}

static int end_campaign(struct session *s, struct run *r, struct campaign *c,
                        enum campaign_end end, struct error *e) {
  bool bad = c->bad.kind != RECORD_DONE;
  if (end == CAMPAIGN_ERROR)
    return e->code;
  if (end == CAMPAIGN_DEATH || end == CAMPAIGN_HANGS) {
    if (!c->death.known && end == CAMPAIGN_DEATH && c->death.garbled) {
      autopsy_garbled(s, r, c->order);
      return ERR_NONE;
    }
    if (!c->death.known && end == CAMPAIGN_DEATH &&
        autopsy_stopped(c->death.status)) {
      autopsy_outside(s, r, c->order, c->death.status);
      return ERR_NONE;
    }
    if (!c->death.known)
      return error_set(e, ERR_SYSTEM, "a worker died before its first client");
    take_death(s, r, c, end == CAMPAIGN_HANGS);
    return ERR_NONE;
  }
  s->interrupted |= end == CAMPAIGN_INTERRUPTED;
  if (bad && conclude(s, r, c, end == CAMPAIGN_INTERRUPTED, e))
    return e->code;
  add_totals(r, c);
  if (r->report && c->order->want_outcomes)
    add_outcomes(s, r, c);
  if (!bad && end == CAMPAIGN_INTERRUPTED)
    set_reason(s, &r->result, c->lost ? c->lost : "interrupted");
  if (!bad && end == CAMPAIGN_KILLED)
    set_reason(s, &r->result,
               "its worker was killed three times (by SIGKILL: is there enough "
               "memory?)");
  judge_campaign(s, r, c);
  return ERR_NONE;
}

/* Saved schedules and sequences; then, in a pool, everything else. */
static int hunt_object(struct session *s, struct run *r,
                       const struct hunt_order *order, struct error *e) {
  double begun = clock_now(), cpu = cpu_now();
  struct campaign c = {.session = s, .order = order};
  if (s->settings->time > 0)
    c.deadline = begun + s->settings->time;
  phase_begin("sequences");
  enum worker_end end = hunt_worker(&r->worker, order);
  int err = take_worker(s, r, order, end, e);
  r->result.statistics.cpu.search = cpu_now() - cpu;
  if (!err && end == WORKER_DONE && r->result.finding)
    explain_finding(s, r, order); /* a saved schedule fails again */
  if (err || end != WORKER_DONE || r->result.finding ||
      r->result.verdict != VERDICT_PASS)
    return err;
  c.totals.sequences = r->report->sequences;
  c.totals.statistics = r->result.statistics;
  r->result.statistics = (struct statistics){0};
  phase_begin("search");
  enum campaign_end how = campaign_run(&c, e);
  if (c.lost && how != CAMPAIGN_INTERRUPTED)
    session_warn(s, xasprintf("warning: %s, which others did again", c.lost));
  double found = cpu_now();
  err = end_campaign(s, r, &c, how, e);
  r->result.statistics.cpu.search = found - cpu;
  r->result.statistics.cpu.minimize = cpu_now() - found;
  if (!err && r->result.finding && how == CAMPAIGN_BAD)
    explain_finding(s, r, order);
  r->result.statistics.seconds = clock_now() - begun;
  campaign_free(&c);
  return err;
}

static int hunt_alone(struct session *s, struct run *r,
                      const struct hunt_order *order, struct error *e) {
  phase_begin(order->replay_only ? "replay"
              : order->shrink    ? "shrink"
                                 : "stress");
  phase_budget(order->replay_only ? 0 : s->settings->time);
  enum worker_end end = hunt_worker(&r->worker, order);
  int err = take_worker(s, r, order, end, e);
  if (!err && end == WORKER_DONE && r->result.finding) {
    phase_fault();
    phase_begin("label");
    races(s, r, order);
    census(s, r, order);
  }
  return err;
}

/* With the settings of this object, which are the session's meanwhile. */
/* What could have made the difference, when two runs differ. */
static void name_unmodelled(struct session *s, struct result *r) {
  struct buf b = {0};
  if (!r->finding || r->finding->fault != FAULT_DIVERGENCE ||
      !s->probe.unknown.len)
    return;
  buf_printf(
      &b, "%s. It calls what Faultline does not model: ", r->finding->detail);
  for (uint32_t i = 0; i < s->probe.unknown.len; i++)
    buf_printf(&b, "%s%s()", i ? ", " : "", s->probe.unknown.at[i]);
  r->finding->detail = arena_strdup(&s->arena, buf_text(&b));
  buf_free(&b);
}

static int hunt_with(struct session *s, const struct hunt_order *plan,
                     struct error *e) {
  struct run r = {.worker.show_output = s->settings->show_output};
  struct hunt_order own = *plan, *order = &own;
  uint32_t *estimates;
  if (s->settings->search == SEARCH_DPCT) {
    if (session_estimate(s, order->suite, &estimates, e))
      return e->code;
    order->estimates = estimates;
    order->nestimates = s->about->suites[order->suite].nops;
  }
  bool alone = order->replay_only || order->native || order->shrink;
  if (s->settings->time > 0 && !alone) /* twice: a saved fault is made small */
    r.worker.max_seconds = 2 * (uint32_t)s->settings->time + LATE_SECONDS;
  if (order->native) /* its own watchdog comes first */
    r.worker.hang_seconds = STRESS_HANG_SECONDS;
  int err = alone ? hunt_alone(s, &r, order, e) : hunt_object(s, &r, order, e);
  phase_end();
  if (err) {
    worker_release(&r.worker);
    return e->code;
  }
  r.result.partial = session_partial(s);
  name_unmodelled(s, &r.result);
  if (r.result.verdict == VERDICT_PASS && !s->probe.hooks)
    set_reason(s, &r.result,
               "no access of the code has a hook: nothing was checked");
  r.settings = *s->settings;
  vec_push(&s->runs, r);
  return ERR_NONE;
}

/* ---- the next fault ---- */

typedef VEC(struct client) client_list;

/* Is there something to look for beside the last fault?  What was inconclusive
 * because of one operation may hide a fault of the others. */
static bool goes_on(const struct session *s, const struct hunt_order *o,
                    const client_list *known) {
  const struct result *r = &s->runs.at[s->runs.len - 1].result;
  const struct finding *f = r->finding;
  bool one = o->program || o->replay_only || o->native || o->shrink ||
             s->settings->client || s->interrupted;
  if (one || !f || !f->client.ncalls ||
      !(s->settings->keep_going || fault_is_doubt(f->fault)))
    return false;
  return !client_has_ops_of(&f->client, known->at, known->len);
}

/* `push() and pop()` */
static void put_ops(const struct client *c, const struct op_names *names,
                    struct buf *b) {
  struct client rest = {.calls = c->calls};
  const char *comma = "";
  for (; rest.ncalls < c->ncalls; rest.ncalls++) {
    struct client one = {.calls = &c->calls[rest.ncalls], .ncalls = 1};
    if (client_has_ops_of(&rest, &one, 1))
      continue;
    buf_printf(b, "%s%s()", comma, names->name[one.calls->op]);
    comma = " and ";
  }
}

/* The last finding's client joins those that are known. */
static void know(struct session *s, client_list *known, struct hunt_order *o) {
  const struct result *r = &s->runs.at[s->runs.len - 1].result;
  struct buf b = {0};
  vec_push(known, r->finding->client);
  o->known = known->at;
  o->nknown = known->len;
  for (uint32_t i = 0; i < known->len; i++) {
    buf_puts(&b, i ? ", or " : "");
    put_ops(&known->at[i], &r->names, &b);
  }
  o->known_ops = arena_strdup(&s->arena, buf_text(&b));
  buf_free(&b);
}

/* The last run found nothing more: that is a sentence of the one before. */
static void join_last(struct session *s) {
  struct run *last = &s->runs.at[s->runs.len - 1], *before = last - 1;
  struct coverage *c = &before->result.coverage;
  bool pass = last->result.verdict == VERDICT_PASS;
  struct buf b = {0};
  buf_printf(&b, "%s%s%s: %s", c->sentence ? c->sentence : "",
             c->sentence ? "; " : "",
             pass ? "no other fault" : "others were not looked for",
             pass ? last->result.coverage.sentence : last->result.reason);
  c->sentence = arena_strdup(&s->arena, buf_text(&b));
  buf_free(&b);
  worker_release(&last->worker);
  s->runs.len--;
}

static int hunt_further(struct session *s, struct settings *set,
                        struct hunt_order *order, struct error *e) {
  client_list known = {0};
  double until = clock_now() + set->time, least = set->time / 4;
  int err = hunt_with(s, order, e);
  order->nsaved = 0;
  while (!err && goes_on(s, order, &known)) {
    set->time = until - clock_now();
    if (set->time < least) /* a fault takes time to be explained, too */
      set->time = least;
    know(s, &known, order);
    err = hunt_with(s, order, e);
    if (!err && !s->runs.at[s->runs.len - 1].result.finding)
      join_last(s);
  }
  vec_free(&known);
  return err;
}

int session_hunt(struct session *s, const struct hunt_order *plan,
                 struct error *e) {
  const struct settings *all = s->settings;
  struct settings own;
  struct hunt_order order = *plan;
  session_settings(s, order.program ? NULL : &s->about->suites[order.suite],
                   &own);
  if (own.model && own.threads >= RT_BUFFERS)
    return error_set(e, ERR_USAGE,
                     "--threads: under the memory model tso at most %d",
                     RT_BUFFERS - 1);
  order.settings = s->settings = &own;
  int err = hunt_further(s, &own, &order, e);
  s->settings = all;
  return err;
}
