/*
 * SARIF 2.1.0 (OASIS): one run of the tool, one result for each run of ours
 * that did not end as it should.  The execution is one code flow with a thread
 * flow for each thread; executionOrder is the order of all steps.
 */
#include "base/hash.h"
#include "report/ci_int.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char base_id[] = "SRCROOT";
enum { RULE_MISSING = FAULT_COUNT, RULE_OPEN, RULES };

static const char *rule_id(int rule) {
  return rule == RULE_MISSING ? CI_MISSING
         : rule == RULE_OPEN  ? CI_INCONCLUSIVE
                              : fault_id[rule];
}

static const char *rule_words(int rule) {
  return rule == RULE_MISSING ? "a fault was expected and none was found"
         : rule == RULE_OPEN  ? "the search ended before an answer"
                              : story_fault_words((enum fault)rule);
}

static bool is_accepted(const struct report_run *r) {
  return r->story->result->accepted != NULL;
}

static int rule_of(const struct report_run *r) {
  const struct finding *f = r->story->result->finding;
  return r->status != 1 && !is_accepted(r) ? RULE_OPEN
         : f && f->fault != FAULT_NONE     ? (int)f->fault
                                           : RULE_MISSING;
}

static void put_uri(struct buf *out, const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  for (; *path; path++)
    if (strchr(plain, *path))
      buf_putc(out, *path);
    else
      buf_printf(out, "%%%02X", (unsigned char)*path);
}

void sarif_artifact(struct json *j, const struct ci_report *c,
                    const char *file) {
  struct buf path = {0}, uri = {0};
  bool below = ci_path(c, file, &path);
  if (!below)
    buf_puts(&uri, "file://");
  put_uri(&uri, buf_text(&path));
  json_object(j, "artifactLocation");
  json_string(j, "uri", buf_text(&uri));
  if (below)
    json_string(j, "uriBaseId", base_id);
  json_end_object(j);
  buf_free(&path);
  buf_free(&uri);
}

void sarif_text(struct json *j, const char *name, const char *text) {
  json_object(j, name);
  json_string(j, "text", text);
  json_end_object(j);
}

static void put_message(struct json *j, const char *text) {
  sarif_text(j, "message", text);
}

void sarif_rule(struct json *j, const char *id, const char *meaning,
                const char *level) {
  json_object(j, NULL);
  json_string(j, "id", id);
  sarif_text(j, "shortDescription", meaning);
  json_object(j, "defaultConfiguration");
  json_string(j, "level", level);
  json_end_object(j);
  json_end_object(j);
}

void sarif_function(struct json *j, const char *function) {
  if (!function)
    return;
  json_array(j, "logicalLocations");
  json_object(j, NULL);
  json_string(j, "name", function);
  json_string(j, "kind", "function");
  json_end_object(j);
  json_end_array(j);
}

/* The inside of a location; `last` is its last line, or 0. */
static void put_place(struct json *j, const struct ci_report *c,
                      const struct place *p, uint32_t last) {
  if (!ci_has_place(p))
    return;
  json_object(j, "physicalLocation");
  sarif_artifact(j, c, p->file);
  json_object(j, "region");
  json_uint(j, "startLine", p->line);
  if (p->column)
    json_uint(j, "startColumn", p->column);
  if (last > p->line)
    json_uint(j, "endLine", last);
  json_end_object(j);
  json_end_object(j);
  sarif_function(j, p->function);
}

static void put_row(struct json *j, const struct ci_report *c,
                    const struct story_row *row, uint32_t order) {
  struct buf text = {0};
  buf_printf(&text, "%s%s%s%s", row->word, *row->word && *row->what ? " " : "",
             row->what, row->tail);
  if (row->times > 1)
    buf_printf(&text, " (%u times)", row->times);
  json_object(j, NULL);
  json_object(j, "location");
  put_place(j, c, row->place, 0);
  put_message(j, buf_text(&text));
  json_end_object(j);
  json_uint(j, "executionOrder", order);
  json_uint(j, "nestingLevel",
            row->kind == ROW_CALL || row->kind == ROW_RETURN ? 0 : 1);
  json_string(j, "importance",
              row->kind == ROW_FAULT || row->kind == ROW_WAIT ? "essential"
                                                              : "important");
  json_end_object(j);
  buf_free(&text);
}

static bool has_rows(const struct story *s, uint8_t thread) {
  for (uint32_t i = 0; i < s->rows.len; i++)
    if (s->rows.at[i].thread == thread)
      return true;
  return false;
}

static void put_thread(struct json *j, const struct ci_report *c,
                       const struct story *s, uint8_t thread) {
  json_object(j, NULL);
  json_string(j, "id", story_thread(thread));
  json_array(j, "locations");
  for (uint32_t i = 0; i < s->rows.len; i++)
    if (s->rows.at[i].thread == thread)
      put_row(j, c, &s->rows.at[i], i + 1);
  json_end_array(j);
  json_end_object(j);
}

static void put_flow(struct json *j, const struct ci_report *c,
                     const struct story *s) {
  if (!s->rows.len)
    return;
  json_array(j, "codeFlows");
  json_object(j, NULL);
  struct buf text = {0};
  buf_printf(&text, "The failing execution%s%s", *s->client ? " of " : "",
             s->client);
  put_message(j, buf_text(&text));
  buf_free(&text);
  json_array(j, "threadFlows");
  for (uint32_t t = 0; t <= CLIENT_MAX_THREADS; t++)
    if (has_rows(s, (uint8_t)t))
      put_thread(j, c, s, (uint8_t)t);
  json_end_array(j);
  json_end_object(j);
  json_end_array(j);
}

/* Notes, and the other lines that have to be atomic. */
static void put_related(struct json *j, const struct ci_report *c,
                        const struct story *s) {
  const struct finding *f = s->result->finding;
  uint64_t id = 0;
  json_array(j, "relatedLocations");
  for (uint32_t i = 0; i < s->notes.len; i++) {
    json_object(j, NULL);
    json_uint(j, "id", ++id);
    put_place(j, c, s->notes.at[i].place, 0);
    put_message(j, s->notes.at[i].text);
    json_end_object(j);
  }
  for (uint32_t i = 0; f && i < f->causes.len; i++) {
    const struct ranked_cause *r = &f->causes.at[i];
    for (uint32_t k = 0; k < r->cause.nblocks; k++) {
      const struct code_block *b = &r->cause.blocks[k];
      struct place p = {
          .file = b->file, .function = b->function, .line = b->first};
      struct buf text = {0};
      buf_printf(&text, "cause %u: lines %u-%u must be atomic%s", r->rank,
                 b->first, b->last,
                 r->verified            ? ", verified"
                 : cause_is_enforced(r) ? ", with which no client fails"
                 : r->still_bad         ? ", which is not enough"
                 : r->tried             ? ", not decided"
                                        : ", not tried");
      json_object(j, NULL);
      json_uint(j, "id", ++id);
      put_place(j, c, &p, b->last);
      put_message(j, buf_text(&text));
      json_end_object(j);
      buf_free(&text);
    }
  }
  json_end_array(j);
}

/* The same for the same fault after the lines have moved. */
static void put_fingerprint(struct json *j, const struct ci_report *c,
                            uint32_t i) {
  const struct story *s = c->runs[i].story;
  struct buf b = {0}, hex = {0};
  ci_name(c, i, &b);
  buf_printf(&b, "|%s|", rule_id(rule_of(&c->runs[i])));
  if (ci_has_place(s->place)) {
    ci_path(c, s->place->file, &b);
    buf_printf(&b, "|%s", s->place->function ? s->place->function : "");
  }
  buf_printf(&hex, "%016" PRIx64, hash64(b.at, b.len, 1));
  json_object(j, "partialFingerprints");
  json_string(j, "faultline/v1", buf_text(&hex));
  json_end_object(j);
  buf_free(&b);
  buf_free(&hex);
}

static void put_properties(struct json *j, const struct story *s) {
  const struct result *r = s->result;
  json_object(j, "properties");
  json_string(j, "object", r->object);
  if (*s->client)
    json_string(j, "client", s->client);
  if (r->replay_command)
    json_string(j, "replay", r->replay_command);
  if (r->coverage.sentence)
    json_string(j, "coverage", r->coverage.sentence);
  json_uint(j, "seed", r->seed);
  if (r->memory_model)
    json_string(j, "memoryModel", r->memory_model);
  json_bool(j, "partial", r->partial);
  json_end_object(j);
}

static void put_suppression(struct json *j, const struct report_run *r) {
  if (!is_accepted(r))
    return;
  json_array(j, "suppressions");
  json_object(j, NULL);
  json_string(j, "kind", "external");
  json_string(j, "status", "accepted");
  json_string(j, "justification", r->story->result->accepted);
  json_end_object(j);
  json_end_array(j);
}

static void put_result(struct json *j, const struct ci_report *c, uint32_t i,
                       const int *index) {
  const struct report_run *r = &c->runs[i];
  const struct story *s = r->story;
  int rule = rule_of(r);
  assert((r->status || is_accepted(r)) && rule < RULES);
  json_object(j, NULL);
  json_string(j, "ruleId", rule_id(rule));
  json_int(j, "ruleIndex", index[rule]);
  json_string(j, "kind", rule == RULE_OPEN ? "open" : "fail");
  json_string(j, "level", rule == RULE_OPEN ? "none" : "error");
  struct buf text = {0};
  buf_printf(&text, "%s: %s", s->result->object, ci_sentence(r));
  put_message(j, buf_text(&text));
  buf_free(&text);
  if (ci_has_place(s->place)) {
    json_array(j, "locations");
    json_object(j, NULL);
    put_place(j, c, s->place, ci_last_line(s));
    json_end_object(j);
    json_end_array(j);
  }
  put_related(j, c, s);
  if (s->result->finding) {
    put_flow(j, c, s);
    sarif_fixes(j, c, &s->result->finding->patch);
  }
  put_suppression(j, r);
  put_fingerprint(j, c, i);
  put_properties(j, s);
  json_end_object(j);
}

/* The rules that occur; index[rule] is where. */
static void put_tool(struct json *j, const struct ci_report *c, int *index) {
  bool used[RULES] = {false};
  int n = 0;
  for (uint32_t i = 0; i < c->nruns; i++)
    if (c->runs[i].status || is_accepted(&c->runs[i]))
      used[rule_of(&c->runs[i])] = true;
  json_object(j, "tool");
  json_object(j, "driver");
  json_string(j, "name", "Faultline");
  json_string(j, "semanticVersion", c->version);
  json_array(j, "rules");
  for (int rule = 0; rule < RULES; rule++) {
    if (!used[rule])
      continue;
    sarif_rule(j, rule_id(rule), rule_words(rule),
               rule == RULE_OPEN ? "none" : "error");
    index[rule] = n++;
  }
  json_end_array(j);
  json_end_object(j);
  json_end_object(j);
}

static void put_notification(struct json *j, const char *level,
                             const char *text) {
  json_object(j, NULL);
  json_string(j, "level", level);
  put_message(j, text);
  json_end_object(j);
}

void sarif_invocation(struct json *j, const struct ci_report *c) {
  json_array(j, "invocations");
  json_object(j, NULL);
  json_bool(j, "executionSuccessful", !c->trouble);
  json_int(j, "exitCode", c->status);
  json_array(j, "toolExecutionNotifications");
  for (uint32_t i = 0; i < c->nwarnings; i++)
    put_notification(j, "warning", c->warnings[i]);
  if (c->trouble)
    put_notification(j, "error", c->trouble);
  json_end_array(j);
  json_end_object(j);
  json_end_array(j);
}

void sarif_base(struct json *j, const struct ci_report *c) {
  struct buf uri = {0};
  buf_puts(&uri, "file://");
  put_uri(&uri, c->root);
  if (uri.at[uri.len - 1] != '/')
    buf_putc(&uri, '/');
  json_object(j, "originalUriBaseIds");
  json_object(j, base_id);
  json_string(j, "uri", buf_text(&uri));
  json_end_object(j);
  json_end_object(j);
  buf_free(&uri);
}

void report_sarif(const struct ci_report *c, struct buf *out) {
  struct json j = {.out = out};
  int index[RULES] = {0};
  json_object(&j, NULL);
  json_string(&j, "$schema", SARIF_SCHEMA);
  json_string(&j, "version", "2.1.0");
  json_array(&j, "runs");
  json_object(&j, NULL);
  put_tool(&j, c, index);
  sarif_invocation(&j, c);
  sarif_base(&j, c);
  json_string(&j, "columnKind", "utf16CodeUnits");
  json_array(&j, "results");
  for (uint32_t i = 0; i < c->nruns; i++)
    if (c->runs[i].status || is_accepted(&c->runs[i]))
      put_result(&j, c, i, index);
  json_end_array(&j);
  json_end_object(&j);
  json_end_array(&j);
  json_end_object(&j);
  buf_putc(out, '\n');
}
