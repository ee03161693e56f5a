/* The objects of a session: each is run, and its fault explained and mended. */
#include "base/clock.h"
#include "cli/session/accepted.h"
#include "cli/session/further.h"
#include "diagnose/diagnose.h"
#include "diagnose/repair.h"
#include "mend/advice.h"
#include "proc/phase.h"

#include <stdlib.h>

enum { AGAIN = 3 }; /* of saying what is to be done, and doing it */

/* What is said was carried out in copies, and clients fail there.  If they show
 * that the best lines are not enough, what is said is another thing: true. */
static bool is_refuted(struct session *s, struct object_run *r,
                       const struct hunt_question *q, double latest,
                       failing_clients *failing) {
  struct target own = *q->target;
  own.late = &r->late;
  own.latest = latest;
  bool refuted = !s->built.interrupted && clock_now() < latest &&
                 repair_again(&s->built, r, &own, failing->at, failing->len);
  for (uint32_t i = 0; i < failing->len; i++)
    free(failing->at[i]);
  vec_clear(failing);
  return refuted;
}

/* Explains a fault and makes a patch. */
static void explain(struct session *s, struct object_run *r,
                    const struct hunt_question *q) {
  phase_fault();
  if (hunt_is_alone(q->kind)) {
    diagnose_labels(&s->built, r, q->target);
    return;
  }
  failing_clients failing = {0};
  double latest = clock_now() + diagnose_seconds(q->target->settings);
  bool fenced = diagnose(&s->built, r, q->target);
  for (uint32_t again = 0; !fenced && again < AGAIN; again++) {
    advise(&s->built, r, q->target, latest, &failing);
    if (!is_refuted(s, r, q, latest, &failing))
      break;
  }
  if (r->late && !s->built.interrupted)
    built_warn(&s->built,
               xstrdup("warning: the fault is not fully explained, because the "
                       "time for it ran out (--time gives more); another run "
                       "may say more or less"));
  /* What keeps the faults before it apart is not in the sources that a patch
   * is tried on. */
  bool can_patch = !fenced && !q->target->regions && !q->target->nset_aside &&
                   q->target->settings->patch;
  for (uint32_t again = 0; can_patch && again < AGAIN; again++) {
    phase_begin("patch");
    patch(&s->built, r, q->target, &s->patch, &failing);
    latest = clock_now() + diagnose_seconds(q->target->settings) / 2;
    if (!is_refuted(s, r, q, latest, &failing))
      break;
  }
  vec_free(&failing);
}

static bool is_race(const struct object_run *r) {
  return r->result.finding && r->result.finding->fault == FAULT_DATA_RACE;
}

static bool is_fault(const struct object_run *r) {
  return r->result.finding && !fault_is_doubt(r->result.finding->fault) &&
         r->result.finding->fault != FAULT_NONE;
}

/*
 * Another fault comes first, and what explains it knows nothing of races.  So
 * when there is a race, the object is run again without looking for any; if
 * that passes, the race is the fault.
 */
static int run_with_races(struct session *s, struct object_run *r,
                          const struct hunt_question *q, struct settings *set,
                          struct error *e) {
  if (set->model && set->data_races == DATA_RACES_ONLY)
    return error_set(e, ERR_USAGE,
                     "--races=only: data races are looked for under the memory "
                     "model sc (--memory-model=sc)");
  if (set->model)
    set->data_races = DATA_RACES_IGNORE;
  int err = object_run(&s->built, r, q, e);
  if (err || !set->data_races || hunt_is_alone(q->kind) || s->built.interrupted)
    return err;
  if (!is_race(r)) {
    set->data_races = r->settings.data_races = DATA_RACES_IGNORE;
    return err;
  }
  if (set->data_races == DATA_RACES_ONLY)
    return err;
  struct object_run race = *r;
  set->data_races = DATA_RACES_IGNORE;
  err = object_run(&s->built, r, q, e);
  if (!err && is_fault(r)) {
    built_warn(&s->built,
               xstrdup("warning: it has a data race, too, which --races=only "
                       "shows"));
    worker_release(&race.worker);
    return err;
  }
  if (!err)
    worker_release(&r->worker);
  *r = race;
  set->data_races = r->settings.data_races = DATA_RACES_REPORT;
  *e = (struct error){0};
  return ERR_NONE;
}

int session_hunt_once(struct session *s, const struct hunt_question *question,
                      struct error *e) {
  struct object_run r;
  struct hunt_question own = *question;
  struct target target = *question->target;
  struct settings set = *target.settings;
  const struct hunt_question *q = &own;
  own.target = &target;
  target.settings = &set;
  int err = run_with_races(s, &r, q, &set, e);
  session_print_warnings(s);
  if (!err && r.repeatable && !is_race(&r))
    explain(s, &r, q);
  phase_end();
  session_print_warnings(s);
  if (err)
    return e->code;
  if (r.begun)
    r.result.statistics.seconds = clock_now() - r.begun;
  if (!q->target->want_outcomes && !hunt_is_alone(q->kind))
    accepted_judge(s, &r, q->target);
  vec_push(&s->runs, r);
  return ERR_NONE;
}

int session_hunt(struct session *s, const struct hunt_question *question,
                 struct error *e) {
  struct hunt_question own = *question;
  struct target target = *question->target;
  assert(target.program || target.suite < s->built.about->nsuites);
  const struct suite_info *of =
      target.program ? NULL : &s->built.about->suites[target.suite];
  struct settings set;
  built_settings(target.settings, of, &set);
  if (settings_model_trouble(&set))
    return error_set(e, ERR_USAGE, "%s", settings_model_trouble(&set));
  target.settings = &set;
  own.target = &target;
  if (set.search == SEARCH_DPCT) {
    uint32_t *estimates;
    if (built_estimate(&s->built, target.suite, &estimates, e))
      return e->code;
    target.estimates = estimates;
    target.nestimates = of->nops;
  }
  return session_further(s, &set, &target, &own, e);
}
