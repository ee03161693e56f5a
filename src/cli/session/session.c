#include "cli/session/session.h"

#include "base/terminal.h"
#include "cli/session/accepted.h"

#include <string.h>
#include <unistd.h>

void session_print_warnings(struct session *s) {
  struct buf out = {0};
  uint64_t width = s->settings->width;
  struct text_style style = {.width = width ? (uint32_t)width
                                            : terminal_columns(STDERR_FILENO)};
  if (s->settings->hushed)
    return;
  for (; s->printed < s->built.warnings.len; s->printed++)
    report_line(s->built.warnings.at[s->printed], &style, &out);
  fputs(buf_text(&out), stderr);
  buf_free(&out);
}

int session_open(struct session *s, const struct settings *set,
                 struct error *e) {
  *s = (struct session){.settings = set};
  int err = built_open(&s->built, set, e);
  if (!err)
    session_print_warnings(s);
  return err ? err : accepted_open(s, e);
}

void session_close(struct session *s) {
  for (uint32_t i = 0; i < s->runs.len; i++)
    worker_release(&s->runs.at[i].worker);
  vec_free(&s->runs);
  accept_free(&s->accepts);
  built_close(&s->built);
}

/* ---- the client of a schedule ---- */

static int find_suite(const struct session *s, const struct schedule *of,
                      const char *path, uint32_t *suite, struct error *e) {
  for (*suite = 0; *suite < s->built.about->nsuites; ++*suite)
    if (of->object ? !strcmp(s->built.about->suites[*suite].name, of->object)
                   : s->built.about->nsuites == 1)
      return ERR_NONE;
  return error_set(e, ERR_INPUT,
                   "%s: the schedule is for the object %s, which these "
                   "sources do not have",
                   path, of->object ? of->object : "(unnamed)");
}

int session_find_client(const struct session *s, const struct schedule *of,
                        const char *path, uint32_t *suite, struct error *e) {
  if (find_suite(s, of, path, suite, e))
    return e->code;
  if (!of->client)
    return error_set(e, ERR_INPUT, "%s: the schedule names no client", path);
  const struct suite_info *u = &s->built.about->suites[*suite];
  const char **names = xcalloc(u->nops + 1, sizeof *names);
  uint8_t *nargs = xcalloc(u->nops + 1, sizeof *nargs);
  for (uint32_t i = 0; i < u->nops; i++) {
    names[i] = u->ops[i].name;
    nargs[i] = (uint8_t)u->ops[i].nargs;
  }
  struct client c = {0};
  struct error why = {0};
  struct op_names all = {names, u->nops, u->ntexts, u->texts};
  if (client_read(&c, of->client, &all, nargs, &why))
    error_set(e, ERR_INPUT, "%s: %s", path, why.text);
  client_free(&c);
  free(names);
  free(nargs);
  return e->code;
}
