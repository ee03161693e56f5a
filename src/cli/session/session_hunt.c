/*
 * Runs the objects of a session.  A fault is explained and mended; with
 * --keep-going the object is then run again without the clients that have the
 * fault.
 */
#include "base/clock.h"
#include "cli/session/session.h"
#include "diagnose/diagnose.h"
#include "proc/phase.h"

#include <assert.h>

static struct object_run *last_run(struct session *s) {
  assert(s->runs.len);
  return &vec_last(&s->runs);
}

/* Explains a fault and makes a patch. */
static void explain(struct session *s, struct object_run *r,
                    const struct hunt_question *q) {
  phase_fault();
  if (hunt_is_alone(q->kind)) {
    diagnose_labels(&s->built, r, q->target);
    return;
  }
  bool fenced = diagnose(&s->built, r, q->target);
  if (r->late && !s->built.interrupted)
    built_warn(&s->built,
               xstrdup("warning: the fault is not fully explained: the time "
                       "for a part of that was over (--time gives more), and "
                       "another run may say more or less"));
  if (fenced)
    return;
  if (q->target->settings->patch)
    phase_begin("patch");
  patch(&s->built, r, q->target, &s->patch);
}

static int hunt_once(struct session *s, const struct hunt_question *q,
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

/* ---- the next fault ---- */

typedef VEC(struct client) client_list;

/* Is there another fault to look for?  After an inconclusive finding there may
 * be, even without --keep-going, in clients without its operations. */
static bool goes_on(struct session *s, const struct hunt_question *q,
                    const client_list *known) {
  const struct finding *f = last_run(s)->result.finding;
  const struct settings *set = q->target->settings;
  bool one = q->target->program || hunt_is_alone(q->kind) || set->client ||
             s->built.interrupted;
  if (one || !f || !f->client.ncalls ||
      !(set->keep_going || fault_is_doubt(f->fault)))
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

/* Leaves out clients like that of the last finding from now on. */
static void leave_out_last(struct session *s, client_list *known,
                           struct target *t) {
  const struct result *r = &last_run(s)->result;
  struct buf b = {0};
  vec_push(known, r->finding->client);
  t->known = known->at;
  t->nknown = known->len;
  for (uint32_t i = 0; i < known->len; i++) {
    buf_puts(&b, i ? ", or " : "");
    put_ops(&known->at[i], &r->names, &b);
  }
  t->known_ops = arena_strdup(&s->built.arena, buf_text(&b));
  buf_free(&b);
}

/* The last run found no other fault: joins it to the run before as a sentence
 * about its coverage. */
static void join_last(struct session *s) {
  assert(s->runs.len >= 2);
  struct object_run *last = &s->runs.at[s->runs.len - 1], *before = last - 1;
  struct coverage *c = &before->result.coverage;
  bool pass = last->result.verdict == VERDICT_PASS;
  struct buf b = {0};
  buf_printf(&b, "%s%s%s: %s", c->sentence ? c->sentence : "",
             c->sentence ? "; " : "",
             pass ? "no other fault" : "others were not looked for",
             pass ? last->result.coverage.sentence : last->result.reason);
  c->sentence = arena_strdup(&s->built.arena, buf_text(&b));
  buf_free(&b);
  worker_release(&last->worker);
  s->runs.len--;
}

static int hunt_further(struct session *s, struct settings *set,
                        struct target *target, struct hunt_question *q,
                        struct error *e) {
  client_list known = {0};
  double until = clock_now() + set->time, least = set->time / 4;
  int err = hunt_once(s, q, e);
  if (q->kind == HUNT_BEGIN)
    q->begin.nsaved = 0;
  while (!err && goes_on(s, q, &known)) {
    set->time = until - clock_now();
    if (set->time < least) /* explaining the last fault took some, too */
      set->time = least;
    leave_out_last(s, &known, target);
    err = hunt_once(s, q, e);
    if (!err && !last_run(s)->result.finding)
      join_last(s);
  }
  vec_free(&known);
  return err;
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
  return hunt_further(s, &set, &target, &own, e);
}
