#include "model/schedule.h"

#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char *printed(const struct schedule *s) {
  static struct buf b;
  buf_clear(&b);
  schedule_print(s, &b);
  return buf_text(&b);
}

static struct schedule sample(void) {
  struct schedule s = {.object = xstrdup("stack"),
                       .client = xstrdup("push(1); {push(2)} || {pop()}"),
                       .source = xstrdup("9f86d081884c7d65"),
                       .options = xstrdup("heap=reuse model=sc")};
  for (int i = 0; i < 3; i++)
    schedule_add_step(&s, 2);
  schedule_add_step(&s, 1);
  schedule_add_choice(&s, 1);
  schedule_add_step(&s, 2);
  schedule_add_step(&s, 2);
  return s;
}

static const char sample_text[] = "faultline-schedule 1\n"
                                  "object: stack\n"
                                  "client: push(1); {push(2)} || {pop()}\n"
                                  "source: 9f86d081884c7d65\n"
                                  "options: heap=reuse model=sc\n"
                                  "steps: T2*3 T1*1 !1 T2*2\n";

TEST(a_schedule_prints_as_documented) {
  struct schedule s = sample();
  CHECK_STR(printed(&s), sample_text);
  CHECK_INT(schedule_switches(&s), 2);
  CHECK_INT(s.turns.len, 4);
  schedule_free(&s);
}

TEST(a_choice_is_no_switch) {
  struct schedule s = {0};
  CHECK_INT(schedule_switches(&s), 0);
  schedule_add_choice(&s, 3);
  schedule_add_step(&s, 0);
  schedule_add_choice(&s, 0);
  schedule_add_step(&s, 0);
  CHECK_INT(schedule_switches(&s), 0);
  CHECK_INT(s.turns.len, 4);
  schedule_add_step(&s, 3);
  CHECK_INT(schedule_switches(&s), 1);
  schedule_free(&s);
}

/* The error of reading `text`, or "" and the schedule. */
static const char *read_text(const char *text, size_t n, struct schedule *s) {
  static struct error e;
  struct buf b = {0};
  buf_put(&b, text, n);
  e = (struct error){0};
  int code = schedule_parse(s, &b, "x.sched", &e);
  CHECK_INT(code, *e.text ? ERR_INPUT : ERR_NONE);
  buf_free(&b);
  return e.text;
}

static const char *error_of(const char *text) {
  struct schedule s;
  const char *what = read_text(text, strlen(text), &s);
  schedule_free(&s);
  return what;
}

TEST(what_is_printed_reads_as_the_same) {
  struct schedule s = sample(), t, u;
  CHECK_STR(read_text(sample_text, strlen(sample_text), &t), "");
  CHECK(schedule_equal(&s, &t));
  schedule_copy(&u, &t);
  CHECK(schedule_equal(&s, &u));
  u.turns.at[1].steps++;
  CHECK(!schedule_equal(&s, &u));
  schedule_free(&s);
  schedule_free(&t);
  schedule_free(&u);
}

TEST(long_schedules_are_wrapped_and_joined) {
  struct schedule s = {0}, t;
  for (int i = 0; i < 100; i++) {
    schedule_add_step(&s, 1);
    schedule_add_step(&s, 2);
  }
  const char *text = printed(&s);
  for (const char *p = text; *p; p = strchr(p, '\n') + 1)
    CHECK(strcspn(p, "\n") <= 80);
  CHECK_STR(read_text(text, strlen(text), &t), "");
  CHECK(schedule_equal(&s, &t));
  schedule_free(&s);
  schedule_free(&t);
}

TEST(comments_blanks_and_line_ends_are_free) {
  struct schedule t;
  const char *text = "# saved today\r\n\r\nfaultline-schedule  1 \r\n"
                     "  steps:T1 T1*2\t!0\r\n#x\nsteps:\nsteps: T3*1\n"
                     "object:  a b  ";
  CHECK_STR(read_text(text, strlen(text), &t), "");
  CHECK_STR(printed(&t), "faultline-schedule 1\nobject: a b\n"
                         "steps: T1*3 !0 T3*1\n");
  schedule_free(&t);
}

#define H "faultline-schedule 1\n"

TEST(what_is_wrong_has_file_line_and_reason) {
  CHECK_HAS(error_of(""), "x.sched:1: the file is empty");
  CHECK_HAS(error_of("# only\n"), "x.sched:2: the file is empty");
  CHECK_HAS(error_of("hello\n"), "x.sched:1: not a schedule");
  CHECK_HAS(error_of("faultline-schedule\n"), "x.sched:1: not a schedule");
  CHECK_STR(error_of("faultline-schedule 2\n"),
            "x.sched:1: this faultline reads schedules of version 1, not: '2'");
  CHECK_HAS(error_of(H "steps\n"), "x.sched:2: expected 'key: value': 'steps'");
  CHECK_HAS(error_of(H "colour: red\n"), "x.sched:2: unknown key");
  CHECK_HAS(error_of(H "object: a\n\nobject: b\n"),
            "x.sched:4: this key was given before: 'object'");
  CHECK_HAS(error_of(H "steps: T1*1 X\n"), "x.sched:2: expected a turn");
  CHECK_HAS(error_of(H "steps: T32*1\n"), "from T0 to T31: 'T32*1'");
  CHECK_HAS(error_of(H "steps: T\n"), "from T0 to T31: 'T'");
  CHECK_HAS(error_of(H "steps: T1*\n"), "number of steps");
  CHECK_HAS(error_of(H "steps: T1*0\n"), "number of steps");
  CHECK_HAS(error_of(H "steps: T1*4294967296\n"), "number of steps");
  CHECK_HAS(error_of(H "steps: T1*1x\n"), "number of steps");
  CHECK_HAS(error_of(H "steps: !256\n"), "expected a choice");
  CHECK_HAS(error_of(H "steps: !\n"), "expected a choice");
  CHECK_STR(error_of(H "steps: T31*4294967295 !255\n"), "");
}

TEST(a_zero_byte_is_told) {
  struct schedule t;
  CHECK_HAS(read_text(H "steps: T1\0\n", 32, &t), "x.sched:2: a zero byte");
  CHECK(t.turns.at == NULL);
}

TEST(files_are_read) {
  char path[] = "/tmp/schedule-XXXXXX";
  int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return;
  CHECK_INT(write(fd, sample_text, strlen(sample_text)), strlen(sample_text));
  close(fd);
  struct schedule s = sample(), t;
  struct error e = {0};
  CHECK_INT(schedule_read(&t, path, &e), 0);
  CHECK(schedule_equal(&s, &t));
  schedule_free(&t);
  const char *steps = strstr(sample_text, "steps:");
  CHECK_INT(truncate(path, steps - sample_text), 0);
  CHECK_INT(schedule_read(&t, path, &e), ERR_INPUT);
  CHECK_HAS(e.text, ": no 'steps:': the end of the file is missing");
  CHECK(!t.object);
  unlink(path);
  e = (struct error){0};
  CHECK_INT(schedule_read(&t, path, &e), ERR_INPUT);
  CHECK_HAS(e.text, path);
  schedule_free(&s);
}

TEST_MAIN
