/* The objects of a session: each is run, and its fault explained and mended. */
#include "base/clock.h"
#include "cli/session/further.h"
#include "diagnose/diagnose.h"
#include "mend/advice.h"
#include "proc/phase.h"

/* Explains a fault and makes a patch. */
static void explain(struct session *s, struct object_run *r,
                    const struct hunt_question *q) {
  phase_fault();
  if (hunt_is_alone(q->kind)) {
    diagnose_labels(&s->built, r, q->target);
    return;
  }
  double latest = clock_now() + diagnose_seconds(q->target->settings);
  bool fenced = diagnose(&s->built, r, q->target);
  if (!fenced)
    advise(&s->built, r, q->target, latest);
  if (r->late && !s->built.interrupted)
    built_warn(&s->built,
               xstrdup("warning: the fault is not fully explained: the time "
                       "for a part of that was over (--time gives more), and "
                       "another run may say more or less"));
  /* What keeps the faults before it apart is not in the sources that a patch
   * is tried on. */
  if (fenced || q->target->regions || q->target->nset_aside)
    return;
  if (q->target->settings->patch)
    phase_begin("patch");
  patch(&s->built, r, q->target, &s->patch);
}

int session_hunt_once(struct session *s, const struct hunt_question *q,
                      struct error *e) {
  struct object_run r;
  int err = object_run(&s->built, &r, q, e);
  session_print_warnings(s);
  if (!err && r.repeatable)
    explain(s, &r, q);
  phase_end();
  session_print_warnings(s);
  if (err)
    return e->code;
  if (r.begun)
    r.result.statistics.seconds = clock_now() - r.begun;
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
  if (set.model && set.threads >= RT_BUFFERS)
    return error_set(e, ERR_USAGE,
                     "--threads: under the memory model tso at most %d",
                     RT_BUFFERS - 1);
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
