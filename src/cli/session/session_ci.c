/* The reports for continuous integration of a session, and exit statuses. */
#include "cli/options.h"
#include "cli/session/cases.h"
#include "cli/session/session.h"
#include "report/ci.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_standard(const char *path) { return path && !strcmp(path, "-"); }

bool session_ci_on_stdout(const struct settings *set) {
  return is_standard(set->json) || is_standard(set->junit) ||
         is_standard(set->sarif) || is_standard(set->tap) ||
         is_standard(set->coverage) ||
         is_standard(set->html) || is_standard(set->trace) ||
         is_standard(set->patch) || is_standard(set->dot);
}

int settings_exit(const struct settings *set, int status, bool interrupted) {
  if (set->exit_protocol != EXIT_GNU)
    return status;
  if (fflush(stdout) || ferror(stdout)) /* main() reports it */
    status = 2;
  return status == 2   ? EXIT_GNU_TROUBLE
         : status != 3 ? status
         : interrupted ? EXIT_GNU_TROUBLE
                       : 77;
}

int session_exit(const struct session *s, int status) {
  return settings_exit(s->settings, status, s->built.interrupted);
}

static int write_report(void (*report)(const struct ci_report *, struct buf *),
                        const struct ci_report *c, const char *path,
                        struct error *e) {
  struct buf text = {0};
  if (!path)
    return ERR_NONE;
  report(c, &text);
  int err = buf_write_file(&text, path, e);
  buf_free(&text);
  return err;
}

static bool on_github(void) {
  const char *is = getenv("GITHUB_ACTIONS");
  return is && !strcmp(is, "true");
}

static void annotate(const struct ci_report *c, FILE *to) {
  struct buf text = {0};
  report_github(c, &text);
  fputs(buf_text(&text), to);
  fflush(to);
  buf_free(&text);
}

int session_ci(const struct session *s, const struct report_run *runs,
               uint32_t n, int status, FILE *to, struct error *e) {
  const struct settings *set = s->settings;
  struct error trouble = *e; /* of the session, not of writing */
  char *here = realpath(".", NULL);
  struct buf name = {0};
  for (uint32_t i = 0; i < set->rest.args.len; i++)
    buf_printf(&name, "%s%s", i ? " " : "", set->rest.args.at[i]);
  struct ci_report c = {.runs = runs,
                        .nruns = n,
                        .name = buf_text(&name),
                        .here = here ? here : "/",
                        .root = cases_root(here ? here : "/"),
                        .version = FL_VERSION,
                        .trouble = trouble.code ? trouble.text : NULL,
                        .status = session_exit(s, status),
                        .warnings = (const char *const *)s->built.warnings.at,
                        .nwarnings = s->built.warnings.len};
  struct error now = {0};
  write_report(report_junit, &c, set->junit, &now);
  write_report(report_sarif, &c, set->sarif, &now);
  write_report(report_tap, &c, set->tap, &now);
  if (on_github())
    annotate(&c, to);
  if (now.code)
    error_set(e, now.code, "%s", now.text);
  free(here);
  buf_free(&name);
  return now.code;
}

int session_report_trouble(struct session *s, struct error *e) {
  session_ci(s, NULL, 0, 2, session_ci_on_stdout(s->settings) ? stderr : stdout,
             e);
  return 2;
}
