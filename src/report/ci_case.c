/* Cases as JUnit's XML and as TAP. */
#include "report/ci_case.h"

#include "report/ci_int.h"

#include <inttypes.h>

static const char *type_of(const struct ci_cases *c, const struct ci_case *k) {
  return k->outcome == CI_OPEN ? "inconclusive" : c->fault;
}

static void put_case(const struct ci_cases *c, const struct ci_case *k,
                     struct buf *out) {
  static const char *const elements[] = {
      [CI_PASS] = "system-out", [CI_FAIL] = "failure", [CI_OPEN] = "error"};
  const char *element = elements[k->outcome];
  buf_puts(out, "    <testcase");
  ci_attribute(out, "classname", c->command);
  ci_attribute(out, "name", k->name);
  if (k->outcome != CI_PASS && k->nlines) {
    struct buf path = {0};
    ci_path(c->about, k->lines[0].file, &path);
    ci_attribute(out, "file", buf_text(&path));
    buf_printf(out, " line=\"%" PRIu32 "\"", k->lines[0].first);
    buf_free(&path);
  }
  buf_printf(out, ">\n      <%s", element);
  if (k->outcome != CI_PASS) {
    ci_attribute(out, "type", type_of(c, k));
    ci_attribute(out, "message", k->message);
  }
  buf_putc(out, '>');
  ci_xml(out, k->text);
  buf_printf(out, "</%s>\n    </testcase>\n", element);
}

void ci_cases_junit(const struct ci_cases *c, struct buf *out) {
  uint32_t failures = 0, errors = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    failures += c->at[i].outcome == CI_FAIL;
    errors += c->at[i].outcome == CI_OPEN;
  }
  buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  for (int k = 0; k < 2; k++) {
    buf_puts(out, k ? "  <testsuite" : "<testsuites");
    ci_attribute(out, "name", c->command);
    buf_printf(out,
               " tests=\"%" PRIu32 "\" failures=\"%" PRIu32
               "\" errors=\"%" PRIu32 "\" skipped=\"0\">\n",
               c->n, failures, errors);
  }
  for (uint32_t i = 0; i < c->n; i++)
    put_case(c, &c->at[i], out);
  buf_puts(out, "  </testsuite>\n</testsuites>\n");
}

static void put_details(const struct ci_cases *c, const struct ci_case *k,
                        struct buf *out) {
  buf_puts(out, "  ---\n");
  ci_yaml(out, "message", k->message);
  ci_yaml(out, "severity", k->outcome == CI_FAIL ? "fail" : "inconclusive");
  if (k->nlines) {
    struct buf path = {0};
    ci_path(c->about, k->lines[0].file, &path);
    ci_yaml(out, "file", buf_text(&path));
    buf_printf(out, "  line: %" PRIu32 "\n", k->lines[0].first);
    buf_free(&path);
  }
  buf_puts(out, "  ...\n");
}

void ci_cases_tap(const struct ci_cases *c, struct buf *out) {
  buf_printf(out, "TAP version 13\n1..%" PRIu32 "\n", c->n);
  for (uint32_t i = 0; i < c->n; i++) {
    const struct ci_case *k = &c->at[i];
    bool ok = k->outcome == CI_PASS;
    buf_printf(out, "%sok %" PRIu32 " - ", ok ? "" : "not ", i + 1);
    ci_tap_line(out, k->name);
    buf_putc(out, '\n');
    if (!ok)
      put_details(c, k, out);
  }
}
