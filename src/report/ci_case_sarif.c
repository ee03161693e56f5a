/* Cases as SARIF 2.1.0: one result for each that did not pass. */
#include "report/ci_case.h"

#include "report/ci_int.h"

static void put_tool(struct json *j, const struct ci_cases *c) {
  json_object(j, "tool");
  json_object(j, "driver");
  json_string(j, "name", "Faultline");
  json_string(j, "semanticVersion", c->about->version);
  json_array(j, "rules");
  sarif_rule(j, c->fault, c->meaning, "error");
  sarif_rule(j, "inconclusive", "there is no answer within the bounds", "none");
  json_end_array(j);
  json_end_object(j);
  json_end_object(j);
}

static void put_lines(struct json *j, const struct ci_cases *c,
                      const struct ci_lines *l) {
  json_object(j, NULL);
  json_object(j, "physicalLocation");
  sarif_artifact(j, c->about, l->file);
  json_object(j, "region");
  json_uint(j, "startLine", l->first);
  if (l->last > l->first)
    json_uint(j, "endLine", l->last);
  json_end_object(j);
  json_end_object(j);
  sarif_function(j, l->function);
  json_end_object(j);
}

static void put_result(struct json *j, const struct ci_cases *c,
                       const struct ci_case *k) {
  bool fails = k->outcome == CI_FAIL;
  struct buf text = {0};
  buf_printf(&text, "%s: %s", k->name, k->message);
  json_object(j, NULL);
  json_string(j, "ruleId", fails ? c->fault : "inconclusive");
  json_uint(j, "ruleIndex", fails ? 0 : 1);
  json_string(j, "kind", fails ? "fail" : "open");
  json_string(j, "level", fails ? "error" : "none");
  sarif_text(j, "message", buf_text(&text));
  for (uint32_t i = 0; i < k->nlines; i++) {
    if (i < 2)
      json_array(j, i ? "relatedLocations" : "locations");
    put_lines(j, c, &k->lines[i]);
    if (!i || i + 1 == k->nlines)
      json_end_array(j);
  }
  json_end_object(j);
  buf_free(&text);
}

void ci_cases_sarif(const struct ci_cases *c, struct buf *out) {
  struct json j = {.out = out};
  json_object(&j, NULL);
  json_string(&j, "$schema", SARIF_SCHEMA);
  json_string(&j, "version", "2.1.0");
  json_array(&j, "runs");
  json_object(&j, NULL);
  put_tool(&j, c);
  sarif_invocation(&j, c->about);
  sarif_base(&j, c->about);
  json_string(&j, "columnKind", "utf16CodeUnits");
  json_array(&j, "results");
  for (uint32_t i = 0; i < c->n; i++)
    if (c->at[i].outcome != CI_PASS)
      put_result(&j, c, &c->at[i]);
  json_end_array(&j);
  json_end_object(&j);
  json_end_array(&j);
  json_end_object(&j);
  buf_putc(out, '\n');
}
