/* The JSON report, read back by another library. */
#include "fixture.h"
#include "json_test.h"
#include "test.h"

static const struct json_node *parsed(struct report_run *runs, uint32_t n) {
  struct buf out = {0};
  report_json(runs, n, &out);
  const struct json_node *j = json_parsed(buf_text(&out), out.len);
  if (!j)
    fprintf(stderr, "%s\n", buf_text(&out));
  buf_free(&out);
  return j;
}

static const char *text(const struct json_node *object, const char *name) {
  return json_text_of(json_get(object, name));
}

static long long number(const struct json_node *object, const char *name) {
  const struct json_node *j = json_get(object, name);
  return json_is(j, JSON_WHOLE) ? json_number_of(j) : -999;
}

TEST(a_violation_is_an_object) {
  struct fixture *f = fixture_violation();
  struct story *s = story_new(&f->result, &f->namer);
  const char *warnings[] = {"one", "two"};
  struct report_run run = {.story = s, .warnings = warnings, .nwarnings = 2};
  const struct json_node *j = parsed(&run, 1);
  if (!CHECK(j != NULL))
    return;
  CHECK_INT(number(j, "faultline"), 1);
  CHECK_STR(text(j, "object"), "stack");
  CHECK_STR(text(j, "verdict"), "violation");
  CHECK_STR(text(j, "fault"), "not-linearizable");
  CHECK_STR(text(j, "client"), "push(1); {push(2)} || {pop()}; pop()");
  CHECK_STR(text(j, "schedule"), "T2*1 T1*2 T2*1");
  CHECK_INT(number(json_get(j, "statistics"), "executions"), 3021);
  CHECK_INT((int)json_len(json_get(j, "warnings")), 2);
  CHECK(json_get(j, "outcomes") == NULL);

  const struct json_node *results = json_get(j, "results");
  CHECK_INT((int)json_len(results), 4);
  CHECK_STR(json_text_of(json_at(results, 0)), "void");
  CHECK_STR(json_text_of(json_at(results, 3)), "-1");
  const struct json_node *call = json_at(json_get(j, "calls"), 2);
  CHECK_STR(text(call, "call"), "pop()");
  CHECK_INT(number(call, "thread"), 2);
  CHECK_INT(number(call, "result"), 1);

  const struct json_node *events = json_get(j, "events");
  CHECK_INT((int)json_len(events), 14);
  const struct json_node *e = json_at(events, 6);
  CHECK_INT(number(e, "thread"), 1);
  CHECK_STR(text(e, "operation"), "push(2)");
  CHECK_STR(text(e, "kind"), "rmw");
  CHECK_STR(text(e, "location"), "s->top");
  CHECK_STR(text(e, "value"), "2");
  CHECK_STR(text(e, "old"), "1");
  CHECK_STR(text(e, "order"), "seq_cst");
  CHECK_STR(text(e, "file"), "stack.c");
  CHECK_INT(number(e, "line"), 12);
  CHECK_INT(number(e, "column"), 3);
  CHECK(json_is(json_get(e, "function"), JSON_NULL));

  const struct json_node *refutation = json_at(json_get(j, "refutations"), 0);
  CHECK_INT(number(refutation, "expected"), 2);
  CHECK_INT((int)json_len(json_get(refutation, "order")), 3);
  CHECK_STR(text(json_get(j, "diagnostic"), "message"),
            "pop() is not linearizable: interrupted between lines 31 and 32 "
            "by push()");
  story_free(s);
  fixture_free(f);
}

TEST(several_runs_are_a_list) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct story *s = story_new(&f->result, NULL);
  struct report_run runs[2] = {{.story = s}, {.story = s}};
  const struct json_node *j = parsed(runs, 2);
  CHECK_INT(number(j, "faultline"), 1);
  const struct json_node *list = json_get(j, "runs");
  CHECK_INT((int)json_len(list), 2);
  const struct json_node *run = json_at(list, 1);
  CHECK_STR(text(run, "verdict"), "pass");
  CHECK_STR(text(run, "fault"), "none");
  CHECK(json_is(json_get(run, "client"), JSON_NULL));
  CHECK_INT((int)json_len(json_get(run, "events")), 0);
  CHECK(json_is(json_get(run, "events"), JSON_ARRAY));
  j = parsed(runs, 0);
  CHECK_INT((int)json_len(json_get(j, "runs")), 0);
  story_free(s);
  fixture_free(f);
}

TEST(outcomes_keep_their_types) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct story *s = story_new(&f->result, NULL);
  outcome_list list = {0};
  struct outcome o = {.executions = UINT64_C(1) << 53, .allowed = true};
  vec_push(&o.results, INT(INT64_MIN));
  vec_push(&o.results, VOID);
  vec_push(&o.results, ((struct value){VALUE_BOOL, 1}));
  vec_push(&o.results,
           ((struct value){VALUE_STRING, (uint64_t)(uintptr_t) "a\"\033"}));
  vec_push(&o.results, ((struct value){VALUE_POINTER, 0}));
  vec_push(&list, o);
  struct story_outcomes outcomes = {.list = &list};
  s->outcomes = &outcomes;
  struct report_run run = {.story = s};
  const struct json_node *j = parsed(&run, 1);
  const struct json_node *have = json_at(json_get(j, "outcomes"), 0);
  CHECK_INT(number(have, "executions"), 1LL << 53);
  CHECK(json_is_true(json_get(have, "allowed")));
  const struct json_node *results = json_get(have, "results");
  CHECK(json_number_of(json_at(results, 0)) == INT64_MIN);
  CHECK(json_is(json_at(results, 1), JSON_NULL));
  CHECK(json_is_true(json_at(results, 2)));
  CHECK_STR(json_text_of(json_at(results, 3)), "a\"\033");
  CHECK(json_is(json_at(results, 4), JSON_NULL));
  vec_free(&list.at[0].results);
  vec_free(&list);
  story_free(s);
  fixture_free(f);
}

TEST(hostile_names_are_still_json) {
  struct fixture *f = fixture_violation();
  f->location = "\"\\\033\n\xff";
  f->result.object = "\xc3(";
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s};
  const struct json_node *j = parsed(&run, 1);
  if (CHECK(j != NULL))
    CHECK_STR(text(json_at(json_get(j, "events"), 4), "location"),
              "\"\\\033\n\xef\xbf\xbd");
  story_free(s);
  fixture_free(f);
}

TEST(who_waits_is_told) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_DEADLOCK);
  struct waiting w = {.thread = 1,
                      .kind = EV_LOCK,
                      .holder = 2,
                      .pc = 1003,
                      .addr = LOCK_A,
                      .call = 0};
  vec_push(&f->finding.waiting, w);
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s};
  const struct json_node *j = parsed(&run, 1);
  CHECK_STR(text(j, "verdict"), "error");
  const struct json_node *have = json_at(json_get(j, "waiting"), 0);
  CHECK_INT(number(have, "thread"), 1);
  CHECK_INT(number(have, "holder"), 2);
  CHECK_STR(text(have, "kind"), "lock");
  CHECK_STR(text(have, "location"), "a");
  CHECK_INT(number(have, "line"), 10);
  const struct json_node *results = json_get(j, "results");
  CHECK(json_is(json_at(results, 0), JSON_NULL));
  story_free(s);
  fixture_free(f);
}

TEST_MAIN
