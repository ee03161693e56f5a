/* The terminal report, word for word. */
#include "fixture.h"
#include "report/cell.h"
#include "test.h"

#include <unistd.h>

#define STYLE(...) ((struct text_style){.whole = true, __VA_ARGS__})

static void check_text(struct fixture *f, struct text_style style,
                       const char *want) {
  char *have = text_of(f, style);
  CHECK_STR(have, want);
  free(have);
}

/* Every line within the width, and nothing that a terminal would obey. */
static void check_lines(const char *text, size_t width) {
  struct buf line = {0};
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    buf_clear(&line);
    buf_put(&line, p, n);
    if (!CHECK(cell_width(buf_text(&line)) <= width))
      fprintf(stderr, "  %s\n", buf_text(&line));
    p += n + (p[n] == '\n');
  }
  CHECK(strchr(text, '\033') == NULL);
  buf_free(&line);
}

TEST(a_violation) {
  struct fixture *f = fixture_violation();
  check_text(
      f, STYLE(.width = 80),
      "stack.c:31:11: error: pop() is not linearizable: interrupted between "
      "lines 31\n"
      "    and 32 by push()\n"
      "stack.c:12:3: note: in between comes T1 in push(2): rmw s->top: 1 -> 2\n"
      "\n"
      "Smallest failing client (proved minimal):\n"
      "  push(1); {push(2)} || {pop()}; pop()\n"
      "\n"
      "Interleaving (lines of stack.c):\n"
      "  T1                              T2\n"
      "                                  pop()\n"
      "                                  31 load  s->top = 1\n"
      "  push(2)\n"
      "  12 rmw   s->top: 1 -> 2\n"
      "  13 write s->items[0]: 0 -> 2\n"
      "  returns\n"
      "                                  32 cas   s->top: 2 -> 0\n"
      "                                  returns 1\n"
      "\n"
      "Results:\n"
      "  before  push(1)\n"
      "  T1      push(2)\n"
      "  T2      pop() = 1\n"
      "  after   pop() = -1\n"
      "\n"
      "Why no order that real time allows explains them:\n"
      "  push(1); push(2); then pop() should return 2, returned 1\n"
      "  push(1); pop() = 1; push(2); then pop() should return 2, returned "
      "-1\n"
      "\n"
      "Replay:\n"
      "  faultline replay .faultline/stack-1.schedule examples/stack.c\n"
      "\n"
      "stack: violation after 12 clients, 3,021 executions, seed 1\n"
      "  All 11 clients up to 2x1 calls, every interleaving.\n");
  fixture_free(f);
}

TEST(a_wide_terminal_is_used) {
  struct fixture *f = fixture_violation();
  char *text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text, "interrupted between lines 31 and 32 by push()\n");
  check_lines(text, 120);
  free(text);
  fixture_free(f);
}

TEST(quiet_says_the_answer_and_how_to_see_it_again) {
  struct fixture *f = fixture_violation();
  check_text(
      f, STYLE(.width = 100, .quiet = true),
      "stack.c:31:11: error: pop() is not linearizable: interrupted between "
      "lines 31 and 32 by push()\n"
      "stack.c:12:3: note: in between comes T1 in push(2): rmw s->top: 1 -> 2\n"
      "\n"
      "Replay:\n"
      "  faultline replay .faultline/stack-1.schedule examples/stack.c\n");
  fixture_free(f);
}

TEST(a_pass_states_its_bounds_and_no_more) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  check_text(f, STYLE(0),
             "stack: no fault found in 12 clients, 3,021 executions, seed 1\n"
             "  All 11 clients up to 2x1 calls, every interleaving.\n");
  check_text(f, STYLE(.quiet = true), "");
  f->result.partial = true;
  f->result.statistics.cut = 7;
  f->result.coverage.limit = xstrdup("--time 10");
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "3,021 executions (and 7 cut at --max-steps), seed 1");
  CHECK_HAS(text, "; stopped by --time 10.\n");
  CHECK_HAS(text, "This run is partial");
  CHECK(!strstr(text, "correct"));
  free(text);
  fixture_free(f);
}

TEST(an_expected_fault_that_is_missing_is_an_error) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  f->result.expect_fault = true;
  char *text = text_of(f, STYLE(0));
  CHECK_HAS(text, "stack: error: a fault was expected (FL_EXPECT_FAULT) and "
                  "none was found\n");
  free(text);
  fixture_free(f);
  f = fixture_violation();
  f->result.expect_fault = true;
  text = text_of(f, STYLE(0));
  CHECK_HAS(text, "  This fault was expected (FL_EXPECT_FAULT).\n");
  free(text);
  fixture_free(f);
}

TEST(inconclusive_says_which_budget_ended) {
  struct fixture *f = fixture_new("", FAULT_NONE);
  f->result.verdict = VERDICT_UNKNOWN;
  f->result.coverage.limit = xstrdup("--max-executions 5");
  f->result.statistics.executions = 1;
  check_text(f, STYLE(.width = 120),
             "stack: inconclusive, stopped by --max-executions 5\n"
             "stack: inconclusive after 12 clients, 1 execution, seed 1\n"
             "  All 11 clients up to 2x1 calls, every interleaving; stopped by "
             "--max-executions 5.\n");
  fixture_free(f);
}

TEST(the_source_is_shown_with_carets) {
  char path[] = "/tmp/report_text_XXXXXX";
  int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return;
  FILE *file = fdopen(fd, "w");
  for (int i = 1; i < 31; i++)
    fprintf(file, "line %d\n", i);
  fprintf(file, "\tint t = s->top;\n  \033if (cas(&s->top, t))\n");
  fclose(file);
  struct fixture *f = fixture_violation();
  f->file = path;
  f->events[4].pc = 3110;
  f->events[9].pc = 3208;
  char *text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text, "   31 |         int t = s->top;\n"
                  "      |                 ^\n"
                  "   32 |   \\x1bif (cas(&s->top, t))\n"
                  "      |           ^\n");
  check_lines(text, 80);
  free(text);
  unlink(path);
  fixture_free(f);
}

TEST(a_caret_far_to_the_right_is_in_view) {
  char path[] = "/tmp/report_text_XXXXXX";
  int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return;
  FILE *file = fdopen(fd, "w");
  for (int i = 0; i < 300; i++)
    fputs(i == 98 ? "X" : ".", file);
  fclose(file);
  struct fixture *f = fixture_new("{pop()}", FAULT_CRASH);
  f->file = path;
  f->finding.pc = 199; /* line 1, column 99 */
  f->result.statistics.clients = 1;
  char *text = text_of(f, STYLE(.width = 60));
  check_lines(text, 60);
  const char *row = strstr(text, "    1 | "), *under = strstr(text, "      | ");
  if (CHECK(row && under))
    CHECK_INT(strchr(under, '^') - under, strchr(row, 'X') - row);
  free(text);
  unlink(path);
  fixture_free(f);
}

TEST(hostile_names_neither_break_lines_nor_reach_the_terminal) {
  char name[600];
  memset(name, 'n', sizeof name);
  memcpy(name, "\033]0;x\007\xff\n", 8);
  strcpy(name + 590, "->next");
  for (int utf8 = 0; utf8 < 2; utf8++)
    for (uint32_t width = 0; width < 140; width += 20) {
      struct fixture *f = fixture_violation();
      f->location = f->function = f->result.object = name;
      f->result.names.name = (const char *const[]){"p\033ush", name, "get"};
      char *text =
          text_of(f, STYLE(.width = width, .utf8 = utf8, .quiet = false));
      free(f->result.replay_command);
      check_lines(text, width == 0 ? 80 : width < 40 ? 61 : width);
      CHECK_HAS(text, "\\x1b");
      CHECK_HAS(text, utf8 ? "…" : "...");
      free(text);
      f->result.replay_command = NULL;
      fixture_free(f);
    }
}

static const struct place *of_a_hostile_file(void *ctx, uint64_t pc) {
  struct fixture *f = ctx;
  const struct place *p = fixture_place(ctx, pc);
  if (pc >= 10000000)
    f->places[p - f->places].file = "src/\033.c";
  return p;
}

TEST(the_file_of_most_rows_is_not_named) {
  struct fixture *f = fixture_new("{pop()} || {pop()}", FAULT_INVARIANT);
  f->namer.place = of_a_hostile_file;
  add_call(f, 0);
  add(f, EV_READ, 1, 0, 10003107, TOP, 0, 5);
  add(f, EV_READ, 1, 0, 3207, TOP, 0, 5);
  add(f, EV_READ, 1, 0, 907, TOP, 0, 5);
  char *text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text, "(lines of stack.c, other files are named):\n");
  CHECK_HAS(text, "\n  \\x1b.c:31 read  s->top = 5\n"
                  "  32 read  s->top = 5\n"
                  "   9 read  s->top = 5\n");
  free(text);
  fixture_free(f);
}

TEST(a_shortened_name_keeps_its_value) {
  struct fixture *f = fixture_violation();
  f->location = "the_one_and_only_global_stack_of_this_program.array.top";
  char *text = text_of(f, STYLE(.width = 80, .utf8 = true));
  CHECK_HAS(text, "32 cas   the_one_and_on…array.top: 2 -> 0\n");
  free(text);
  fixture_free(f);
}

/* A row has its line to itself: it runs on below the columns to its right. */
TEST(four_threads_keep_their_values) {
  struct fixture *f =
      fixture_new("{pop()} || {pop()} || {pop()} || {pop()}", FAULT_INVARIANT);
  f->location = "pool#1.items[0]";
  for (uint32_t i = 0; i < 4; i++) {
    add_call(f, i);
    add(f, EV_CAS, (uint8_t)(i + 1), i, 3107, TOP, 17, 5);
  }
  char *text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text, "\n  31 cas   pool#1.items[0]: 17 -> 5\n");
  CHECK_HAS(text, " 31 cas   pool#1.items[0]: 17 -> 5\n");
  CHECK(!strstr(text, "..."));
  check_lines(text, 80);
  free(text);
  fixture_free(f);
}

TEST(threads_that_do_not_fit_are_listed) {
  struct buf client = {0};
  for (int i = 0; i < 12; i++)
    buf_printf(&client, "%s{pop()}", i ? " || " : "");
  struct fixture *f = fixture_new(buf_text(&client), FAULT_INVARIANT);
  for (uint32_t i = 0; i < 12; i++) {
    add_call(f, i);
    add(f, EV_CAS_FAIL, (uint8_t)(i + 1), i, 3107, TOP, 0, 5);
  }
  char *text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text, "   1  T1    pop()\n"
                  "   2  T1    31 cas failed s->top = 5\n"
                  "   3  T2    pop()\n");
  CHECK_HAS(text, "\n  23  T12   pop()\n");
  check_lines(text, 80);
  free(text);
  buf_free(&client);
  fixture_free(f);
}

TEST(three_threads_have_columns) {
  struct fixture *f =
      fixture_new("{pop()} || {pop()} || {pop()}", FAULT_INVARIANT);
  for (uint32_t i = 0; i < 3; i++) {
    add_call(f, i);
    add(f, EV_ATOMIC_READ, (uint8_t)(i + 1), i, 3107, TOP, 0, 5);
  }
  char *text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text, "  T1                     T2                     T3\n"
                  "  pop()\n"
                  "  31 load  s->top = 5\n"
                  "                         pop()\n"
                  "                         31 load  s->top = 5\n"
                  "                                                pop()\n");
  free(text);
  fixture_free(f);
}

TEST(a_long_story_is_shortened_in_its_middle) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  for (int i = 0; i < 300; i++)
    add(f, EV_WRITE, (uint8_t)(1 + i % 2), (uint32_t)(i % 2),
        (uint64_t)(i + 1) * 100, TOP, (uint64_t)i - 1, (uint64_t)i);
  char *text = text_of(f, STYLE(.width = 80, .max_rows = 40));
  CHECK_HAS(text, " 10 write s->top: 8 -> 9\n"
                  "  ... 260 rows are left out here; --json has all events\n");
  CHECK_HAS(text, "271 write s->top: 269 -> 270\n");
  CHECK(!strstr(text, "270 write"));
  CHECK(!strstr(text, " 11 write"));
  free(text);
  fixture_free(f);
}

TEST(loops_show_how_often) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  for (int i = 0; i < 9; i++)
    add(f, EV_READ, 1, 0, 700, TOP, 0, 5);
  char *text = text_of(f, STYLE(.utf8 = true));
  CHECK_HAS(text, "  7 read  s->top = 5 ×9\n");
  free(text);
  text = text_of(f, STYLE(.utf8 = false));
  CHECK_HAS(text, "  7 read  s->top = 5 x9\n");
  free(text);
  fixture_free(f);
}

TEST(an_empty_trace_has_no_interleaving) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  char *text = text_of(f, STYLE(0));
  CHECK_HAS(text, "stack: error: stack is not linearizable: no order of the "
                  "calls explains their\n    results\n");
  CHECK(!strstr(text, "Interleaving"));
  CHECK_HAS(text, "  T1      pop() (not called)\n");
  free(text);
  fixture_free(f);
}

TEST(colours_can_be_on) {
  struct fixture *f = fixture_violation();
  char *text = text_of(f, STYLE(.width = 120, .colour = true));
  CHECK_HAS(text, "\033[1mstack.c:31:11:\033[0m \033[1;31merror:\033[0m pop()");
  CHECK_HAS(text, "\033[36m12 rmw   s->top: 1 -> 2\033[0m\n");
  CHECK_HAS(text, "\033[33m31 load  s->top = 1\033[0m\n");
  free(text);
  fixture_free(f);
}

TEST(a_long_command_can_be_pasted) {
  struct fixture *f = fixture_violation();
  free(f->result.replay_command);
  f->result.replay_command =
      xstrdup("faultline replay .faultline/a.schedule src/one.c src/two.c "
              "'a name with blanks.c' -- -DX=1 -I include");
  char *text = text_of(f, STYLE(.width = 60, .quiet = true));
  CHECK_HAS(text,
            "  faultline replay .faultline/a.schedule src/one.c \\\n"
            "      src/two.c 'a name with blanks.c' -- -DX=1 -I include\n");
  free(text);
  fixture_free(f);
}

TEST(orders_that_read_the_same_are_told_once) {
  struct fixture *f = fixture_violation();
  refute(f, (uint32_t[]){0, 1, 2}, 3, 2);
  char *text = text_of(f, STYLE(0));
  const char *line = "  push(1); push(2); then pop() should return 2, returned "
                     "1\n";
  const char *first = strstr(text, line);
  CHECK(first && !strstr(first + 1, line));
  free(text);
  fixture_free(f);
}

TEST(a_replay_that_passes_shows_its_execution) {
  struct fixture *f = fixture_violation();
  f->finding.fault = FAULT_NONE;
  f->finding.refutations.len = 0;
  f->result.verdict = VERDICT_PASS;
  char *text = text_of(f, STYLE(0));
  CHECK_HAS(text, "stack: passes: this execution ends without a fault, and an "
                  "order of its calls\n    explains their results\n");
  CHECK_HAS(text, "\nClient:\n  push(1);");
  CHECK_HAS(text, "32 cas   s->top: 2 -> 0\n");
  CHECK(!strstr(text, "error") && !strstr(text, "ailing"));
  CHECK_HAS(text, "stack: passes in 12 clients");
  free(text);
  vec_free(&f->finding.refutations.at[0].order);
  vec_free(&f->finding.refutations.at[1].order);
  fixture_free(f);
}

static char *outcomes_text(uint32_t rows, uint32_t width, const char *client) {
  static const uint8_t nargs[OBJECT_NAMES] = {1, 0, 0};
  struct fixture *f = fixture_new("", FAULT_NONE);
  struct client c = {0};
  struct error e = {0};
  client_read(&c, client, &f->result.names, nargs, &e);
  outcome_list list = {0};
  for (uint32_t i = 0; i < rows; i++) {
    struct outcome o = {.executions = 1000 * (i + 1), .allowed = i != 1};
    for (uint32_t k = 0; k < c.ncalls; k++)
      vec_push(&o.results, c.calls[k].op ? INT(i * 10 + k) : VOID);
    vec_push(&list, o);
  }
  struct story *s = story_new(&f->result, &f->namer);
  struct story_outcomes outcomes = {&c, &list, 3};
  struct buf out = {0};
  s->outcomes = &outcomes;
  report_text(s, &STYLE(.width = width), &out);
  check_lines(out.at, width);
  story_free(s);
  for (uint32_t i = 0; i < list.len; i++)
    vec_free(&list.at[i].results);
  vec_free(&list);
  client_free(&c);
  fixture_free(f);
  return out.at;
}

TEST(outcomes_are_a_table_of_the_calls_that_return_something) {
  char *text = outcomes_text(2, 80, "push(1); {pop()} || {push(2); pop()}");
  CHECK_HAS(text, "Outcomes of push(1); {pop()} || {push(2); pop()}:\n"
                  "  T1 pop()  T2 pop()  executions\n"
                  "  1         3              1,000\n"
                  "  11        13             2,000  NOT ALLOWED\n"
                  "  3 executions ended in a fault instead\n"
                  "\n"
                  "stack: no fault found in");
  free(text);
}

TEST(many_outcomes_and_many_calls_still_fit) {
  char *text = outcomes_text(25, 40, "{pop(); pop(); pop()} || {pop(); pop()}");
  CHECK_HAS(text, "  executions  results\n"
                  "       1,000  0, 1, 2, 3, 4\n"
                  "       2,000  10, 11, 12, 13, 14 NOT\n"
                  "              ALLOWED\n");
  CHECK_HAS(text, "  and 5 more outcomes; --json has all\n");
  free(text);
}

TEST(calls_that_wait_are_told_in_refutations) {
  struct fixture *f = fixture_violation();
  f->finding.refutations.at[0].waits = true;
  f->ops[3].ret = HISTORY_PENDING;
  f->finding.more_refutations = 1200;
  char *text = text_of(f, STYLE(0));
  CHECK_HAS(text, "push(1); push(2); then pop() should wait, returned 1\n");
  CHECK_HAS(text, "then pop() should return 2, did not return\n");
  CHECK_HAS(text, "  and 1,200 more orders\n");
  CHECK_HAS(text, "  after   pop() (does not return)\n");
  free(text);
  fixture_free(f);
}

TEST_MAIN
