/* What the first line says of lines, in all reports: no more than is known. */
#include "report/ci.h"

#include "fixture.h"
#include "json_test.h"
#include "test.h"

/* Every report has the sentence, and none has more. */
static void check_answer(struct fixture *f, const char *want) {
  static void (*const formats[])(const struct ci_report *, struct buf *) = {
      report_sarif, report_junit, report_tap, report_github};
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s, .status = 1};
  struct ci_report c = {.runs = &run,
                        .nruns = 1,
                        .name = "stack.c",
                        .here = "/home/me/work",
                        .root = "/home/me/work",
                        .version = "0.1.0",
                        .status = 1};
  char *text = text_of(f, (struct text_style){.width = 120, .quiet = true});
  CHECK_HAS(text, want);
  free(text);
  struct buf json = {0};
  report_json(&run, 1, &json);
  const struct json_node *j = json_parsed(buf_text(&json), json.len);
  CHECK_HAS(json_text_of(json_get(json_get(j, "diagnostic"), "message")), want);
  buf_free(&json);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    struct buf out = {0};
    formats[i](&c, &out);
    CHECK_HAS(buf_text(&out), want);
    CHECK(!strstr(buf_text(&out), "not atomic"));
    buf_free(&out);
  }
  story_free(s);
}

TEST(lines_that_are_not_enough_are_not_the_answer) {
  const char *known = "pop() is not linearizable: interrupted between lines 31 "
                      "and 32 by push()";
  struct fixture *f = fixture_cause();
  f->causes[0].enforced = false;
  f->causes[0].still_bad = TEXT("{push(1)} || {pop()}");
  f->causes[0].still_fault = FAULT_NOT_LINEARIZABLE;
  check_answer(f, known);
  f->causes[0].still_bad = NULL;
  f->causes[0].schedules.bad = 1; /* of this client */
  check_answer(f, known);
  fixture_free(f);
}

TEST(lines_with_a_wait_inside_are_not_said_to_be_the_repair) {
  struct fixture *f = fixture_cause();
  f->causes[0].waits = true;
  check_answer(f, "pop() is not linearizable: lines 31-32 can be interrupted");
  fixture_free(f);
}

/* ---- a library that is to blame ---- */

static enum place_role role(void *ctx, const char *file, const char *function) {
  struct place p = {.file = file, .function = function, .line = 1};
  (void)ctx;
  return place_role(&p);
}

static const struct place *place_of_cas(struct story *s) {
  static const struct place nowhere;
  for (uint32_t i = 0; i < s->rows.len; i++)
    if (!strcmp(s->rows.at[i].word, "cas"))
      return s->rows.at[i].place;
  return &nowhere;
}

TEST(rows_of_a_library_that_is_to_blame_have_its_lines) {
  struct fixture *f = fixture_cause();
  f->namer.role = role;
  f->file = f->blocks_of[0].file = "/usr/include/c++/12/semaphore";
  f->inlined_pc = 3207;
  f->outside = (struct place){"stack.c", "pop", 17, 9, NULL};
  struct story *s = story_new(&f->result, &f->namer);
  CHECK_INT(place_of_cas(s)->line, 32);
  CHECK_STR(s->place->file, f->file);
  story_free(s);
  /* Lines of the user's are to blame: the library only does what it is told. */
  f->blocks_of[0] = (struct code_block){"stack.c", "pop", 17, 18};
  s = story_new(&f->result, &f->namer);
  CHECK_INT(place_of_cas(s)->line, 17);
  story_free(s);
  fixture_free(f);
}

TEST_MAIN
