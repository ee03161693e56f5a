/* Recorded histories as JUnit's XML and as TAP. */
#include "report/ci_int.h"
#include "report/log_report.h"

#include <inttypes.h>
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

/* What stands below the first line, up to an empty one, in one line; else the
 * first. */
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

static void put_case(const struct log_case *c, struct buf *out) {
  const char *element = is(c, "violation") ? "failure"
                        : is(c, "unknown") ? "error"
                                           : "system-out";
  struct buf b = {0};
  put_name(c, &b);
  buf_puts(out, "    <testcase");
  ci_attribute(out, "classname", "faultline check");
  ci_attribute(out, "name", buf_text(&b));
  buf_printf(out, ">\n      <%s", element);
  if (!is(c, "linearizable")) {
    buf_clear(&b);
    put_message(c, &b);
    ci_attribute(out, "type",
                 is(c, "unknown") ? "inconclusive" : "not-linearizable");
    ci_attribute(out, "message", buf_text(&b));
  }
  buf_putc(out, '>');
  ci_xml(out, c->text);
  buf_printf(out, "</%s>\n    </testcase>\n", element);
  buf_free(&b);
}

void log_report_junit(const struct log_case *cases, uint32_t n,
                      struct buf *out) {
  uint32_t failures = 0, errors = 0;
  for (uint32_t i = 0; i < n; i++) {
    failures += is(&cases[i], "violation");
    errors += is(&cases[i], "unknown");
  }
  buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  for (int k = 0; k < 2; k++) {
    buf_puts(out, k ? "  <testsuite" : "<testsuites");
    ci_attribute(out, "name", "faultline check");
    buf_printf(out,
               " tests=\"%" PRIu32 "\" failures=\"%" PRIu32
               "\" errors=\"%" PRIu32 "\" skipped=\"0\">\n",
               n, failures, errors);
  }
  for (uint32_t i = 0; i < n; i++)
    put_case(&cases[i], out);
  buf_puts(out, "  </testsuite>\n</testsuites>\n");
}

void log_report_tap(const struct log_case *cases, uint32_t n, struct buf *out) {
  buf_printf(out, "TAP version 13\n1..%" PRIu32 "\n", n);
  for (uint32_t i = 0; i < n; i++) {
    const struct log_case *c = &cases[i];
    struct buf b = {0};
    bool ok = is(c, "linearizable");
    put_name(c, &b);
    buf_printf(out, "%sok %" PRIu32 " - ", ok ? "" : "not ", i + 1);
    ci_tap_line(out, buf_text(&b));
    buf_putc(out, '\n');
    if (!ok) {
      buf_clear(&b);
      put_message(c, &b);
      buf_puts(out, "  ---\n");
      ci_yaml(out, "message", buf_text(&b));
      ci_yaml(out, "severity", is(c, "violation") ? "fail" : "inconclusive");
      buf_puts(out, "  ...\n");
    }
    buf_free(&b);
  }
}
