/* JUnit's XML, as Jenkins, GitLab, GitHub's actions and others read it. */
#include "report/cell.h"
#include "report/ci_int.h"

#include <string.h>

void ci_xml(struct buf *out, const char *s) {
  while (*s) {
    unsigned code;
    size_t n = cell_decode(s, &code);
    unsigned char first = (unsigned char)*s;
    bool none = n == 3 && !strncmp(s, "\xef\xbf", 2) &&
                ((unsigned char)s[2] & 0xfe) == 0xbe; /* U+FFFE, U+FFFF */
    if (!n || none || (first < 0x20 && !strchr("\t\n", first)))
      buf_puts(out, "\xef\xbf\xbd");
    else if (first == '&')
      buf_puts(out, "&amp;");
    else if (first == '<')
      buf_puts(out, "&lt;");
    else if (first == '>')
      buf_puts(out, "&gt;");
    else if (first == '"')
      buf_puts(out, "&quot;");
    else
      buf_put(out, s, n);
    s += n ? n : 1;
  }
}

void ci_attribute(struct buf *out, const char *name, const char *value) {
  buf_printf(out, " %s=\"", name);
  ci_xml(out, value);
  buf_putc(out, '"');
}

/* <failure> or <error>, with the report as its text. */
static void put_outcome(struct buf *out, const struct report_run *r) {
  const char *element = r->status == 1 ? "failure" : "error";
  buf_printf(out, "      <%s", element);
  ci_attribute(out, "type", ci_type(r));
  ci_attribute(out, "message", ci_sentence(r));
  buf_putc(out, '>');
  struct buf text = {0};
  report_text(r->story, &(struct text_style){.utf8 = true}, &text);
  ci_xml(out, buf_text(&text));
  buf_free(&text);
  buf_printf(out, "</%s>\n", element);
}

static void put_output(struct buf *out, const struct report_run *r) {
  struct buf text = {0};
  report_text(r->story, &(struct text_style){.utf8 = true}, &text);
  buf_puts(out, "      <system-out>");
  ci_xml(out, buf_text(&text));
  buf_puts(out, "</system-out>\n");
  buf_free(&text);
}

static void put_case(struct buf *out, const struct ci_report *c, uint32_t i) {
  const struct report_run *r = &c->runs[i];
  struct buf b = {0};
  ci_name(c, i, &b);
  buf_puts(out, "    <testcase");
  ci_attribute(out, "classname", "faultline");
  ci_attribute(out, "name", buf_text(&b));
  buf_printf(out, " time=\"%.3f\"", r->story->result->statistics.seconds);
  if (r->status && ci_has_place(r->story->place)) {
    buf_clear(&b);
    ci_path(c, r->story->place->file, &b);
    ci_attribute(out, "file", buf_text(&b));
    buf_printf(out, " line=\"%u\"", r->story->place->line);
  }
  buf_puts(out, ">\n");
  if (ci_accepted(r, &b)) {
    buf_puts(out, "      <skipped");
    ci_attribute(out, "message", buf_text(&b));
    buf_puts(out, "/>\n");
  }
  if (r->status)
    put_outcome(out, r);
  else
    put_output(out, r);
  buf_puts(out, "    </testcase>\n");
  buf_free(&b);
}

static void put_trouble(struct buf *out, const struct ci_report *c) {
  buf_puts(out, "    <testcase");
  ci_attribute(out, "classname", "faultline");
  ci_attribute(out, "name", "faultline");
  buf_puts(out, " time=\"0.000\">\n      <error");
  ci_attribute(out, "type", "trouble");
  ci_attribute(out, "message", c->trouble);
  buf_puts(out, "/>\n    </testcase>\n");
}

void report_junit(const struct ci_report *c, struct buf *out) {
  unsigned failures = 0, errors = c->trouble ? 1 : 0, skipped = 0;
  unsigned tests = c->nruns + errors;
  double seconds = 0;
  for (uint32_t i = 0; i < c->nruns; i++) {
    failures += c->runs[i].status == 1;
    errors += c->runs[i].status > 1;
    skipped += c->runs[i].story->result->accepted != NULL;
    seconds += c->runs[i].story->result->statistics.seconds;
  }
  struct buf counts = {0};
  buf_printf(&counts,
             " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" "
             "time=\"%.3f\">\n",
             tests, failures, errors, skipped, seconds);
  buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  ci_attribute(out, "name", "faultline");
  buf_puts(out, buf_text(&counts));
  buf_puts(out, "  <testsuite");
  ci_attribute(out, "name", c->name);
  buf_puts(out, buf_text(&counts));
  for (uint32_t i = 0; i < c->nruns; i++)
    put_case(out, c, i);
  if (c->trouble)
    put_trouble(out, c);
  buf_puts(out, "  </testsuite>\n</testsuites>\n");
  buf_free(&counts);
}
