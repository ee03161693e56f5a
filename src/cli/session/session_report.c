/* Writes the reports of a session and finds its exit status. */
#include "base/terminal.h"
#include "base/text.h"
#include "campaign/saved.h"
#include "cli/session/accepted.h"
#include "cli/session/dump.h"
#include "cli/session/lcov.h"
#include "cli/session/pages.h"
#include "cli/session/session.h"
#include "debug/namer.h"
#include "model/trace_file.h"
#include "report/races.h"

#include <assert.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_word(struct buf *b, const char *option, const char *word) {
  buf_printf(b, " %s", option);
  put_shell_word(b, word);
}

static char *replay_command(struct session *s, const char *schedule) {
  const struct settings *set = s->settings;
  struct buf b = {0};
  /* The program as it was typed if that is a relative path: build/faultline. */
  const char *name = program_invocation_name;
  buf_printf(&b, "%s replay",
             strchr(name, '/') && name[0] != '/' ? name : "faultline");
  put_word(&b, "", schedule);
  for (uint32_t i = 0; i < set->rest.args.len; i++)
    put_word(&b, "", set->rest.args.at[i]);
  if (set->cc)
    put_word(&b, "--cc=", set->cc);
  if (set->cxx)
    put_word(&b, "--cxx=", set->cxx);
  if (set->opt)
    put_word(&b, "--opt=", set->opt);
  if (set->rest.after.len)
    buf_puts(&b, " --");
  for (uint32_t i = 0; i < set->rest.after.len; i++)
    put_word(&b, "", set->rest.after.at[i]);
  char *text = arena_strdup(&s->built.arena, buf_text(&b));
  buf_free(&b);
  return text;
}

static void set_replay_command(struct session *s, struct result *r) {
  if (r->finding->schedule_file)
    r->replay_command = replay_command(s, r->finding->schedule_file);
}

static bool use_colour(const struct settings *set, FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (set->color)
    return set->color == 1;
  return isatty(fileno(to)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static int status_of(const struct result *r) {
  if (r->accepted)
    return 0;
  switch (r->verdict) {
  case VERDICT_PASS:
    return r->expect_fault ? 1 : 0;
  case VERDICT_VIOLATION:
  case VERDICT_ERROR:
    return r->expect_fault ? 0 : 1;
  case VERDICT_UNKNOWN:
    break;
  }
  return 3;
}

/* The more important status: a fault (1), an error (2), inconclusive (3), a
 * pass (0). */
static int worst(int a, int b) {
  static const int weight[] = {0, 3, 2, 1};
  assert(a >= 0 && a <= 3 && b >= 0 && b <= 3);
  return weight[a] >= weight[b] ? a : b;
}

static const struct place *place_at(void *lines, uint64_t pc) {
  return pc ? lines_place(lines, pc - 1) : NULL;
}

/* Writes the failing executions as traces into one file. */
static int write_traces(struct session *s, struct error *e) {
  struct buf text = {0};
  for (uint32_t i = 0; i < s->runs.len; i++) {
    const struct result *r = &s->runs.at[i].result;
    const struct finding *f = r->finding;
    if (!f || !f->trace.nevents)
      continue;
    const char **names = xcalloc(f->client.ncalls + 1, sizeof *names);
    for (uint32_t k = 0; k < f->client.ncalls; k++)
      names[k] = r->names.name[f->client.calls[k].op];
    struct trace_about about = {r->object, r->verdict, names, f->client.ncalls};
    struct trace_places places = {place_at, s->built.lines};
    trace_file_print(&f->trace, &about, &places, &text);
    free(names);
  }
  int err = buf_write_file(&text, s->settings->trace, e);
  buf_free(&text);
  return err;
}

/* Writes the labelled graphs into one file. */
static int write_dot(struct story *const *stories, uint32_t n, const char *path,
                     struct error *e) {
  struct buf text = {0};
  for (uint32_t i = 0; i < n; i++)
    report_dot(stories[i], &text);
  int err = buf_write_file(&text, path, e);
  buf_free(&text);
  return err;
}

void session_text(struct session *s, const struct text_style *style,
                  struct buf *out) {
  for (uint32_t i = 0; i < s->runs.len; i++) {
    struct object_run *r = &s->runs.at[i];
    struct namer own;
    struct story_namer namer;
    namer_open(&own, s->built.lines, &r->result, namer_beside(&r->result),
               &namer);
    struct story *story = story_new(&r->result, &namer);
    report_text(story, style, out);
    story_free(story);
    namer_close(&own);
  }
}

static bool passes(const struct session *s) {
  for (uint32_t i = 0; i < s->runs.len; i++)
    if (s->runs.at[i].result.verdict != VERDICT_PASS)
      return false;
  return true;
}

static bool same_object(const struct session *s, uint32_t i, uint32_t k) {
  return !strcmp(s->runs.at[i].result.object, s->runs.at[k].result.object);
}

/* Alone, but that an expected fault which was found is what matters: doubts
 * come behind it. */
static int status_at(const struct session *s, uint32_t i) {
  const struct result *r = &s->runs.at[i].result;
  bool expected = r->expect_fault && r->verdict == VERDICT_UNKNOWN && i &&
                  same_object(s, i - 1, i);
  return expected ? status_at(s, i - 1) : status_of(r);
}

int session_report(struct session *s, struct error *e) {
  const struct settings *set = s->settings;
  accepted_say_unused(s);
  setlocale(LC_CTYPE, "");
  FILE *to = session_ci_on_stdout(set) ? stderr : stdout;
  struct text_style style = {.width = set->width ? (uint32_t)set->width
                                                 : terminal_columns(fileno(to)),
                             .colour = use_colour(set, to),
                             .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
                             .whole = set->verbose,
                             .all_causes = set->all_causes,
                             .quiet = set->quiet};
  uint32_t n = s->runs.len;
  struct story **stories = xcalloc(n + 1, sizeof *stories);
  struct namer *namers = xcalloc(n + 1, sizeof *namers);
  struct pages pages = {.s = s,
                        .passing = xcalloc(n + 1, sizeof *pages.passing)};
  struct report_run *runs = xcalloc(n + 1, sizeof *runs);
  struct story_outcomes *outcomes = xcalloc(n + 1, sizeof *outcomes);
  int status = n ? 0 : 3;
  struct buf out = {0};
  for (uint32_t i = 0; i < n; i++) {
    struct object_run *r = &s->runs.at[i];
    struct story_namer namer;
    if (!set->no_save && r->result.finding && !r->result.accepted &&
        !fault_is_doubt(r->result.finding->fault)) {
      saved_write(&s->built, r);
      set_replay_command(s, &r->result);
    }
    namer_open(&namers[i], s->built.lines, &r->result, namer_beside(&r->result),
               &namer);
    stories[i] = story_new(&r->result, &namer);
    if (r->report && r->report->outcomes.at) {
      outcomes[i] = (struct story_outcomes){
          &r->report->client, &r->report->outcomes, r->report->faults};
      stories[i]->outcomes = &outcomes[i];
    }
    pages_tell_passing(&pages, &r->result, stories[i], i);
    runs[i] = (struct report_run){.story = stories[i],
                                  .warnings =
                                      (const char *const *)s->built.warnings.at,
                                  .nwarnings = s->built.warnings.len,
                                  .hooks = &pages.hooks,
                                  .status = status_at(s, i)};
    status = worst(status, status_at(s, i));
  }
  /* Before the text, which names the files. */
  if (pages_write(&pages, runs, n, e))
    status = 2;
  for (uint32_t i = 0, first = 0; i < n; i++) {
    if (i && !set->quiet)
      buf_putc(&out, '\n');
    report_text(stories[i], &style, &out);
    if (i + 1 < n && same_object(s, i, i + 1))
      continue;
    if (!set->quiet)
      report_faults(runs + first, i + 1 - first, &style, &out);
    first = i + 1;
  }
  /* Only on a terminal, not in every log. */
  if (n && passes(s) && !set->quiet && isatty(fileno(to)))
    buf_puts(&out,
             "What a pass means, and what it does not: faultline help pass\n");
  fputs(buf_text(&out), to);
  fflush(to);
  if (set->json) {
    struct buf json = {0};
    report_json(runs, n, &json);
    if (buf_write_file(&json, set->json, e))
      status = 2;
    buf_free(&json);
  }
  if (s->patch.unwritten.code) {
    error_set(e, s->patch.unwritten.code, "%s", s->patch.unwritten.text);
    status = 2;
  }
  if (set->trace && write_traces(s, e))
    status = 2;
  if (set->coverage && lcov_write(s, set->coverage, e))
    status = 2;
  if (set->debug_dump && dump_write(s, set->debug_dump, e))
    status = 2;
  if (set->dot && write_dot(stories, n, set->dot, e))
    status = 2;
  if (session_ci(s, runs, n, e->code ? 2 : status, to, e))
    status = 2;
  for (uint32_t i = 0; i < n; i++) {
    story_free(stories[i]);
    namer_close(&namers[i]);
  }
  pages_free(&pages);
  free(stories);
  free(namers);
  free(runs);
  free(outcomes);
  buf_free(&out);
  return status;
}
