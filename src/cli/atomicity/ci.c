/* `faultline atomicity` for continuous integration: one case for each trace or
 * client. */
#include "cli/atomicity/int.h"
#include "cli/session/cases.h"
#include "hunt/settings.h"

#include <string.h>

/* "not SC-serializable: a cycle of 2 conflicts" */
static const char *message(struct arena *a, const struct atomic_trace *t) {
  const struct finding_about *f = atomic_verdict(t);
  struct buf b = {0};
  buf_printf(&b, "%s %s-serializable",
             f->answer == ANSWER_UNKNOWN ? "not determined whether it is"
                                         : "not",
             t->tso ? "TSO" : "SC");
  if (f->why)
    buf_printf(&b, ": %s", f->why);
  else if (f->ncycle)
    buf_printf(&b, ": a cycle of %u %s conflicts", f->ncycle, f->cycle_of);
  const char *text = arena_strdup(a, buf_text(&b));
  buf_free(&b);
  return text;
}

/* Adds the line of an event of the cycle, if it is known and not there yet. */
static void add_line(struct ci_lines *lines, uint32_t *n,
                     const struct cycle_event *e) {
  if (!e->file || e->input_line || !e->line)
    return;
  for (uint32_t i = 0; i < *n; i++)
    if (lines[i].first == e->line && !strcmp(lines[i].file, e->file))
      return;
  lines[(*n)++] = (struct ci_lines){e->file, e->function, e->line, e->line};
}

static void find_lines(struct arena *a, const struct atomic_trace *t,
                       struct ci_case *out) {
  const struct finding_about *f = atomic_cycle(t);
  if (!f || out->outcome != CI_FAIL)
    return;
  struct ci_lines *lines = arena_alloc(a, 2 * f->ncycle * sizeof *lines);
  for (uint32_t i = 0; i < f->ncycle; i++) {
    add_line(lines, &out->nlines, &f->cycle[i].from);
    add_line(lines, &out->nlines, &f->cycle[i].to);
  }
  out->lines = lines;
}

static void make_case(struct arena *a, const struct atomic_trace *t,
                      struct ci_case *out) {
  static const enum ci_outcome outcome[] = {[ANSWER_NO] = CI_FAIL,
                                            [ANSWER_YES] = CI_PASS,
                                            [ANSWER_UNKNOWN] = CI_OPEN};
  struct buf b = {0};
  atomic_trace_text(t, &b);
  *out = (struct ci_case){.name = t->name,
                          .outcome = outcome[atomic_verdict(t)->answer],
                          .message = message(a, t),
                          .text = arena_strdup(a, buf_text(&b))};
  find_lines(a, t, out);
  buf_free(&b);
}

void atomic_write_cases(const struct atomic_report *r,
                        const struct settings *set, int status,
                        struct error *e) {
  const struct case_files files = {set->junit, set->sarif, set->tap};
  struct arena a = {0};
  uint32_t n = r->traces.len;
  if (!set->junit && !set->sarif && !set->tap)
    return;
  struct ci_case *at = arena_alloc(&a, (n + 1) * sizeof *at);
  for (uint32_t i = 0; i < n; i++)
    make_case(&a, &r->traces.at[i], &at[i]);
  struct ci_cases cases = {.command = "faultline atomicity",
                           .fault = "not-serializable",
                           .meaning = "transactions are not serializable",
                           .at = at,
                           .n = n};
  cases_write(&cases, &files, status, e);
  arena_free(&a);
}
