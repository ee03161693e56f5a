/* Recorded histories as JUnit's XML and as TAP. */
#include "report/ci_case.h"
#include "report/log_report.h"

#include <stdlib.h>
#include <string.h>

static bool is(const struct log_case *c, const char *verdict) {
  return strcmp(c->verdict, verdict) == 0;
}

/* `run.jsonl` of `run.jsonl: violation (queue, …`. */
static void put_name(const struct log_case *c, struct buf *out) {
  char *mark = xasprintf(": %s (", c->verdict);
  const char *end = strstr(c->text, mark);
  size_t line = strcspn(c->text, "\n");
  buf_put(out, c->text, end ? (size_t)(end - c->text) : line);
  free(mark);
}

/* The text below the first line, up to an empty one, in one line; the first
 * line if there is none. */
static void put_message(const struct log_case *c, struct buf *out) {
  const char *s = c->text + strcspn(c->text, "\n");
  if (!is(c, "violation") || !s[strspn(s, "\n ")])
    buf_put(out, c->text, (size_t)(s - c->text));
  else
    for (bool first = true; *s && !(s[0] == '\n' && s[1] == '\n');
         first = false) {
      s += strspn(s, "\n ");
      buf_puts(out, first ? "" : " ");
      buf_put(out, s, strcspn(s, "\n"));
      s += strcspn(s, "\n");
    }
}

static void make_case(const struct log_case *c, struct buf *b,
                      struct ci_case *out) {
  put_name(c, &b[0]);
  put_message(c, &b[1]);
  *out = (struct ci_case){.name = buf_text(&b[0]),
                          .outcome = is(c, "violation") ? CI_FAIL
                                     : is(c, "unknown") ? CI_OPEN
                                                        : CI_PASS,
                          .message = buf_text(&b[1]),
                          .text = c->text};
}

static void report(void (*write)(const struct ci_cases *, struct buf *),
                   const struct log_case *cases, uint32_t n, struct buf *out) {
  struct buf(*texts)[2] = xcalloc(n + 1, sizeof *texts);
  struct ci_case *at = xcalloc(n + 1, sizeof *at);
  for (uint32_t i = 0; i < n; i++)
    make_case(&cases[i], texts[i], &at[i]);
  write(&(struct ci_cases){.command = "faultline check",
                           .fault = "not-linearizable",
                           .at = at,
                           .n = n},
        out);
  for (uint32_t i = 0; i < n; i++) {
    buf_free(&texts[i][0]);
    buf_free(&texts[i][1]);
  }
  free(texts);
  free(at);
}

void log_report_junit(const struct log_case *cases, uint32_t n,
                      struct buf *out) {
  report(ci_cases_junit, cases, n, out);
}

void log_report_tap(const struct log_case *cases, uint32_t n, struct buf *out) {
  report(ci_cases_tap, cases, n, out);
}
