#include "diagnose/diagnose_int.h"

#include "base/clock.h"
#include "base/pack_table.h"
#include "diagnose/census.h"
#include "diagnose/fences.h"
#include "diagnose/kinds.h"
#include "diagnose/races.h"
#include "diagnose/repair.h"
#include "hunt/inside.h"
#include "model/nouns.h"
#include "proc/phase.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

enum {
  EXPLAIN_SECONDS = 60, /* all that is said about a fault, … */
  EXPLAIN_LEAST = 10,   /* … or as long as --time, but not less */
};

/* ---- a question to a worker ---- */

static const struct field traces_fields[] = {
    TEXT(struct traces_part, text[TRACE_GOOD]),
    TEXT(struct traces_part, text[TRACE_FAILING]),
    NUMBER(struct traces_part, next),
    FLAG(struct traces_part, complete),
};
static const struct noun noun_traces_part = {
    NOUN(struct traces_part, traces_fields)};

static const struct field answer_fields[] = {
    FLAG(struct diagnose_answer, late),
    INSIDE(struct diagnose_answer, causes, noun_causes_found),
    INSIDE(struct diagnose_answer, kinds, noun_kinds_found),
    INSIDE(struct diagnose_answer, tally, noun_tally),
    INSIDE(struct diagnose_answer, races, noun_races_found),
    INSIDE(struct diagnose_answer, census, noun_census),
    INSIDE(struct diagnose_answer, traces, noun_traces_part),
};
const struct noun noun_diagnose_answer = {
    NOUN(struct diagnose_answer, answer_fields)};

static void answer(struct hunt *h, const struct diagnose_question *q,
                   struct diagnose_answer *to) {
  switch (q->kind) {
  case DIAGNOSE_KINDS:
    hunt_kinds(h, q->client, q->failing, &to->kinds);
    break;
  case DIAGNOSE_COUNT:
    hunt_count(h, q->client, &to->tally);
    break;
  case DIAGNOSE_RACES:
    hunt_races(h, q->client, q->names, &to->races);
    break;
  case DIAGNOSE_CENSUS:
    hunt_census(h, q->client, &to->census);
    break;
  }
}

/* For worker_run. */
static int run(void *arg, struct work *s) {
  const struct diagnose_question *q = arg;
  assert(q->client && (q->kind != DIAGNOSE_KINDS || q->failing));
  struct hunt h;
  struct result result;
  struct diagnose_answer *to = arena_alloc(&s->arena, sizeof *to);
  s->answer = to;
  if (hunt_open(&h, q->target, s, &result))
    return s->error.code;
  answer(&h, q, to);
  to->late = h.late;
  return s->error.code;
}

/* The verdict is known: the report is made without what is missing. */
enum worker_end diagnose_worker(struct worker *w,
                                const struct diagnose_question *q) {
  w->noun = &noun_diagnose_answer;
  enum worker_end end = target_ask(q->target, w, run, (void *)q);
  if (end == WORKER_DONE && diagnose_answer(w)->late)
    target_is_late(q->target);
  if (end == WORKER_ERROR && w->error.code == ERR_SYSTEM)
    fprintf(stderr, "faultline: warning: a part of the report is missing: %s\n",
            w->error.text);
  if (end == WORKER_DIED && WIFSIGNALED(w->status) &&
      WTERMSIG(w->status) == SIGABRT) /* an assertion: see campaign/autopsy.c */
    fprintf(stderr, "faultline: warning: a part of the report is missing: the "
                    "engine's own state was damaged\n");
  return end;
}

bool diagnose_has_states(const struct built *b, const struct finding *f,
                         const struct target *t) {
  enum { MOST_CALLS = 64 }; /* of a client whose states are searched */
  return f->fault != FAULT_NONE && f->fault != FAULT_SEQUENTIAL &&
         !fault_is_doubt(f->fault) && !f->real_threads && !t->program &&
         !b->interrupted && f->client.nthreads > 1 &&
         f->client.ncalls <= MOST_CALLS && f->trace.nevents;
}

bool diagnose_client(struct worker *w, const struct object_run *r,
                     const struct target *t, enum diagnose_kind kind,
                     const struct race_names *names) {
  struct target own = *t;
  struct settings settings = *t->settings;
  struct buf client = {0};
  settings.max_executions = 0;
  if (settings.search == SEARCH_STRESS)
    settings.search = SEARCH_AUTO;
  own.settings = &settings;
  own.native = NULL;
  own.want_outcomes = false;
  client_print(&r->result.finding->client, &r->result.names, &client);
  w->show_output = settings.show_output;
  path failing = {0};
  schedule_to_path(&r->result.finding->schedule, &failing);
  struct diagnose_question q = {.target = &own,
                                .kind = kind,
                                .client = buf_text(&client),
                                .failing = &failing,
                                .names = names};
  enum worker_end end = diagnose_worker(w, &q);
  buf_free(&client);
  vec_free(&failing);
  return end == WORKER_DONE;
}

/* ---- all questions ---- */

double diagnose_seconds(const struct settings *set) {
  if (!set->time)
    return EXPLAIN_SECONDS;
  return set->time > EXPLAIN_LEAST ? set->time : EXPLAIN_LEAST;
}

void diagnose_labels(struct built *b, struct object_run *r,
                     const struct target *t) {
  double begun = processor_seconds();
  phase_begin("label"); /* the states, for the races that decide */
  races(b, r, t);
  r->result.statistics.cpu.races = processor_seconds() - begun;
  phase_begin("outcomes");
  census(b, r, t);
}

bool diagnose(struct built *b, struct object_run *r, const struct target *t) {
  assert(r->repeatable && r->result.finding && !t->latest);
  if (r->result.finding->fault == FAULT_PROGRESS) /* the whole algorithm */
    return false;
  double begun = processor_seconds(), most = diagnose_seconds(t->settings);
  struct target own = *t;
  own.late = &r->late;
  own.latest = clock_now() + most * 2 / 3; /* the rest for what follows */
  phase_begin(t->settings->model == MODEL_TSO ? "fences" : "causes");
  bool fenced = fences(b, r, &own);
  if (fenced && r->result.finding->fences.left.all) {
    bool late = false; /* the fences are an answer without it */
    struct target other = own;
    other.late = &late;
    repair(b, r, &other);
    fenced = fences_weigh(r->result.finding);
  } else if (!fenced) {
    repair(b, r, &own);
  }
  if (!fenced)
    kinds(b, r, &own);
  r->result.statistics.cpu.causes = processor_seconds() - begun;
  r->late |= clock_now() >= own.latest;
  own.latest += most / 3;
  diagnose_labels(b, r, &own);
  r->late |= clock_now() >= own.latest;
  return fenced;
}
