/* JUnit, TAP, SARIF and annotations, of results made by hand. */
#include "report/ci.h"

#include "fixture.h"
#include "json_test.h"
#include "test.h"

static const char hostile[] = "</x>&\"'\x01\xff\xc0\x80 \xe2\x82\xac ]]>#\n%:,";

static struct ci_report report_of(struct report_run *r) {
  return (struct ci_report){.runs = r,
                            .nruns = 1,
                            .name = "stack.c",
                            .here = "/home/me/work/sub",
                            .root = "/home/me/work",
                            .version = "0.1.0",
                            .status = r->status};
}

static void print(void (*format)(const struct ci_report *, struct buf *),
                  const struct ci_report *c, struct buf *out) {
  buf_clear(out);
  format(c, out);
}

TEST(paths_are_told_from_the_root) {
  static const struct {
    const char *file, *told;
  } cases[] = {{"a.c", "file=sub/a.c,"},
               {"./b/../a.c", "file=sub/a.c,"},
               {"../a.c", "file=a.c,"},
               {"../../a.c", "file=/home/me/a.c,"},
               {"/home/me/work/x/a.c", "file=x/a.c,"},
               {"/home/me/workshop/a.c", "file=/home/me/workshop/a.c,"},
               {"/../usr/a:1,2%.c", "file=/usr/a%3A1%2C2%25.c,"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fixture *f = fixture_violation();
    f->file = cases[i].file;
    struct story *s = story_new(&f->result, &f->namer);
    struct report_run run = {.story = s, .status = 1};
    struct ci_report c = report_of(&run);
    struct buf out = {0};
    print(report_github, &c, &out);
    CHECK_HAS(buf_text(&out), cases[i].told);
    buf_free(&out);
    story_free(s);
    fixture_free(f);
  }
}

TEST(annotations_are_at_the_blamed_lines) {
  struct fixture *f = fixture_cause();
  struct code_block both[] = {{"stack.c", "pop", 31, 32},
                              {"other.c", "push", 7, 9}};
  f->causes[0].cause = (struct cause){both, 2};
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s, .status = 1};
  struct ci_report c = report_of(&run);
  struct buf out = {0};
  print(report_github, &c, &out);
  CHECK_HAS(buf_text(&out), "::error file=sub/stack.c,line=31,endLine=32,");
  CHECK_HAS(buf_text(&out),
            "\n::error file=sub/other.c,line=7,endLine=9,title=faultline%3A "
            "stack::lines 7-9 must be atomic too, with lines 31-32 of pop()\n");
  CHECK(!strstr(buf_text(&out), "::notice"));

  /* The fault shows elsewhere. */
  struct place crash = {.file = "stack.c", .function = "pop", .line = 60};
  s->place = &crash;
  s->until = NULL;
  print(report_github, &c, &out);
  CHECK_HAS(buf_text(&out), "::error file=sub/stack.c,line=31,endLine=32,");
  CHECK_HAS(buf_text(&out), "\n::notice file=sub/stack.c,line=60,");

  /* Not known to be enough: the place of the answer. */
  f->causes[0].enforced = false;
  print(report_github, &c, &out);
  CHECK_HAS(buf_text(&out), "::error file=sub/stack.c,line=60,");
  CHECK(!strstr(buf_text(&out), "line=31"));
  buf_free(&out);
  story_free(s);
  fixture_free(f);
}

TEST(hostile_texts_stay_texts) {
  struct fixture *f = fixture_violation();
  f->location = hostile;
  f->file = hostile;
  f->result.object = hostile;
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s, .status = 1};
  struct ci_report c = report_of(&run);
  struct buf out = {0};
  c.trouble = hostile;

  print(report_junit, &c, &out);
  CHECK(!strstr(buf_text(&out), "</x>"));
  CHECK(!strchr(buf_text(&out), '\x01'));
  CHECK(!strchr(buf_text(&out), '\xff'));
  CHECK(!strstr(buf_text(&out), "]]>"));
  CHECK_HAS(buf_text(&out), "&lt;/x&gt;&amp;&quot;'\xef\xbf\xbd\xef\xbf\xbd"
                            "\xef\xbf\xbd\xef\xbf\xbd \xe2\x82\xac");

  print(report_sarif, &c, &out);
  CHECK(json_parsed(buf_text(&out), out.len) != NULL);

  print(report_tap, &c, &out);
  CHECK_HAS(buf_text(&out), "\nnot ok 1 - </x>&\"' \xff\xc0\x80 \xe2\x82\xac "
                            "]]>\\# %:,\n");
  CHECK_HAS(buf_text(&out), "\nBail out! </x>");
  CHECK_HAS(buf_text(&out), "  file: \"sub/</x>&\\\"'\\x01\xef\xbf\xbd");

  print(report_github, &c, &out);
  int lines = 0;
  for (const char *p = buf_text(&out); *p; p++)
    lines += *p == '\n';
  CHECK_INT(lines, 2); /* the run, the trouble */
  CHECK_HAS(buf_text(&out), "%0A%25%3A%2C,line=");
  buf_free(&out);
  story_free(s);
  fixture_free(f);
}

static void check_open(const struct report_run *run, const char *junit,
                       const char *tap, const char *sarif) {
  struct report_run own = *run;
  struct ci_report c = report_of(&own);
  struct buf out = {0};
  print(report_junit, &c, &out);
  CHECK_HAS(buf_text(&out), junit);
  print(report_tap, &c, &out);
  CHECK_HAS(buf_text(&out), tap);
  print(report_sarif, &c, &out);
  CHECK_HAS(buf_text(&out), sarif);
  print(report_github, &c, &out);
  CHECK_INT(out.len > 0, own.status != 0);
  buf_free(&out);
}

TEST(only_what_was_checked_is_green) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct story *s = story_new(&f->result, NULL);
  check_open(&(struct report_run){.story = s}, "failures=\"0\" errors=\"0\"",
             "\nok 1 - stack\n", "\"results\": []");
  story_free(s);
  f->result.verdict = VERDICT_UNKNOWN;
  s = story_new(&f->result, NULL);
  check_open(&(struct report_run){.story = s, .status = 3},
             "failures=\"0\" errors=\"1\" skipped=\"0\"",
             "\nnot ok 1 - stack\n", "\"kind\": \"open\"");
  story_free(s);
  fixture_free(f);
}

TEST(a_replay_without_the_expected_fault_misses_it) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  f->result.finding = &f->finding;
  struct story *s = story_new(&f->result, NULL);
  check_open(&(struct report_run){.story = s, .status = 1},
             "<failure type=\"expected-fault-missing\"", "\nnot ok 1 - stack\n",
             "\"ruleId\": \"expected-fault-missing\"");
  story_free(s);
  f->result.finding = NULL;
  fixture_free(f);
}

TEST(names_of_cases_differ) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct story *s = story_new(&f->result, NULL);
  struct report_run runs[3] = {{.story = s}, {.story = s}, {.story = s}};
  struct ci_report c = report_of(runs);
  struct buf out = {0};
  c.nruns = 3;
  print(report_tap, &c, &out);
  CHECK_STR(buf_text(&out), "TAP version 13\n1..3\nok 1 - stack\n"
                            "ok 2 - stack (2)\nok 3 - stack (3)\n");
  buf_free(&out);
  story_free(s);
  fixture_free(f);
}

TEST_MAIN
