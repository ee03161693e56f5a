/* Which lines must be atomic, why these, and the nearest passing schedule. */
#include "fixture.h"
#include "json_test.h"
#include "report/cell.h"
#include "test.h"

#include <unistd.h>

#define STYLE(...) ((struct text_style){.whole = true, __VA_ARGS__})

static char *first_lines(struct fixture *f) {
  return text_of(f, STYLE(.width = 120, .quiet = true));
}

/* From one title to the next, or to the end. */
static char *section_of(const char *text, const char *title) {
  const char *from = strstr(text, title);
  const char *to = from ? strstr(from, "\n\n") : NULL;
  return from ? xasprintf("%.*s", (int)(to ? to + 1 - from : 9999), from)
              : xstrdup("");
}

static void check_section(struct fixture *f, const char *title,
                          const char *want) {
  char *text = text_of(f, STYLE(.width = 80));
  char *section = section_of(text, title);
  CHECK_STR(section, want);
  free(section);
  free(text);
}

/* A file of 40 lines; the caller unlinks and frees it. */
static char *source_file(void) {
  char *path = xstrdup("/tmp/report_causes_XXXXXX");
  int fd = mkstemp(path);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  for (int i = 1; file && i <= 40; i++)
    fprintf(file, i == 33 ? "\t  last = here;\n" : "  line %d here;\n", i);
  if (file)
    fclose(file);
  return path;
}

/* ---- the first lines ---- */

TEST(verified_lines_are_the_answer) {
  struct fixture *f = fixture_cause();
  char *text = first_lines(f);
  CHECK_STR(text,
            "stack.c:31:11: error: pop() is not atomic: lines 31-32 can be "
            "interrupted\n"
            "stack.c:12:3: note: here by T1 in push(2): rmw s->top: 1 -> 2\n"
            "\n"
            "Replay:\n"
            "  faultline replay .faultline/stack-1.schedule "
            "examples/stack.c\n");
  free(text);
  fixture_free(f);
}

TEST(quiet_keeps_the_carets) {
  struct fixture *f = fixture_cause();
  char *path = source_file();
  f->file = f->blocks_of[0].file = path;
  f->events[4].pc = 3103;
  f->events[9].pc = 3208;
  char *text = first_lines(f);
  CHECK_HAS(text, "pop() is not atomic: lines 31-32 can be interrupted\n"
                  "   31 |   line 31 here;\n"
                  "      |   ^\n"
                  "   32 |   line 32 here;\n"
                  "      |        ^\n");
  CHECK_HAS(text, "\nReplay:\n  faultline replay ");
  CHECK(!strstr(text, "Which lines") && !strstr(text, "Nearest"));
  unlink(path);
  free(path);
  free(text);
  fixture_free(f);
}

TEST(an_end_that_this_execution_does_not_have_is_shown_from_the_source) {
  struct fixture *f = fixture_cause();
  char *path = source_file();
  f->file = f->blocks_of[0].file = path;
  f->blocks_of[0].first = 30;
  f->blocks_of[0].last = 33;
  char *text = first_lines(f);
  CHECK_HAS(text, ":30:3: error: pop() is not atomic: lines 30-33 can be "
                  "interrupted\n"
                  "   30 |   line 30 here;\n"
                  "      |   ^\n"
                  "   33 |           last = here;\n"
                  "      |           ^\n");
  CHECK_HAS(text, "note: here by T1 in push(2)");
  free(text);
  unlink(path); /* without the source the lines are told all the same */
  text = first_lines(f);
  CHECK_HAS(text, ":30: error: pop() is not atomic: lines 30-33 can be "
                  "interrupted\n");
  free(text);
  free(path);
  fixture_free(f);
}

TEST(the_caret_is_at_the_call_that_led_to_the_access) {
  struct fixture *f = fixture_cause();
  struct frame frames[2] = {{0, 0}, {4105, 0}};
  f->finding.trace.frames = frames;
  f->finding.trace.nframes = 2;
  f->events[4].chain = 1; /* called from line 41 */
  f->inlined_pc = 3207;   /* inlined at line 43 */
  f->outside = (struct place){"stack.c", "pop", 43, 9, NULL};
  f->blocks_of[0] = (struct code_block){"stack.c", "pop", 41, 43};
  struct story *s = story_new(&f->result, &f->namer);
  CHECK_STR(s->message, "pop() is not atomic: lines 41-43 can be interrupted");
  CHECK_INT(s->place->line, 41);
  CHECK_INT(s->place->column, 5);
  CHECK_INT(s->until->line, 43);
  CHECK_INT(s->until->column, 9);
  CHECK_INT(s->notes.len, 1);
  story_free(s);
  fixture_free(f);
}

TEST(another_execution_of_the_lines_is_not_their_inside) {
  struct fixture *f = fixture_cause();
  struct activation calls[3] = {{0, 0}, {0, 0}, {0, 0}};
  f->finding.trace.activations = calls;
  f->finding.trace.nactivations = 3;
  f->events[4].activation = 1; /* two calls of pop(), one access in each */
  f->events[9].activation = 2;
  struct story *s = story_new(&f->result, &f->namer);
  CHECK_STR(s->message, "pop() is not atomic: lines 31-32 can be interrupted");
  CHECK_INT(s->notes.len, 0);
  story_free(s);
  fixture_free(f);
}

TEST(of_several_blocks_the_one_that_is_interrupted_here_comes_first) {
  struct fixture *f = fixture_cause();
  f->blocks_of[0] = (struct code_block){"stack.c", "aid", 5, 7};
  f->blocks_of[1] = (struct code_block){"stack.c", "pop", 31, 32};
  f->causes[0].cause.nblocks = 2;
  char *text = first_lines(f);
  CHECK_HAS(text, "stack.c:31:11: error: pop() is not atomic: lines 31-32 can "
                  "be interrupted, and lines 5-7 of aid()\n"
                  "stack.c:12:3: note: here by T1");
  free(text);
  struct code_block four[4] = {{"stack.c", "a", 1, 2},
                               {"stack.c", "b", 5, 7},
                               {"stack.c", "c", 8, 8},
                               {"stack.c", "pop", 31, 32}};
  f->causes[0].cause = (struct cause){four, 4};
  text = first_lines(f);
  CHECK_HAS(text, "lines 31-32 can be interrupted, and lines 1-2 of a(), and 2 "
                  "more blocks\n");
  free(text);
  fixture_free(f);
}

TEST(lines_that_were_not_verified_are_said_to_be_interrupted_no_more) {
  struct fixture *f = fixture_cause();
  f->causes[0].enforced = false;
  char *text = first_lines(f);
  CHECK_HAS(text,
            "stack.c:31:11: error: pop() is not linearizable: lines 31-32 "
            "can be interrupted\n");
  free(text);
  f->function = f->blocks_of[0].function = "po";
  text = first_lines(f);
  CHECK_HAS(text,
            "error: pop() is not linearizable: lines 31-32 of po() can be "
            "interrupted\n");
  free(text);
  f->blocks_of[0].first = 32; /* one access: nothing shows it */
  text = first_lines(f);
  CHECK_HAS(text, "interrupted between lines 31 and 32 by push()\n");
  free(text);
  fixture_free(f);
}

/* ---- why these lines ---- */

TEST(why_these_lines) {
  struct fixture *f = fixture_cause();
  struct smaller_cause less[2] = {
      {.still_bad = TEXT("push(1); {push(2)} || {pop()}; "
                         "pop()"),
       .still_fault = FAULT_NOT_LINEARIZABLE},
      {.still_bad = TEXT("{pop()} || {pop()}"), .still_fault = FAULT_CRASH}};
  struct code_block first = {"stack.c", "pop", 31, 31},
                    last = {"stack.c", "pop", 32, 32};
  less[0].cause = (struct cause){&last, 1};
  less[1].cause = (struct cause){&first, 1};
  f->causes[0].smaller = less;
  f->causes[0].nsmaller = 2;
  f->causes[0].smallest = true;
  f->causes[0].fix = TEXT("an atomic exchange would do");
  check_section(
      f, "Which lines must be atomic:",
      "Which lines must be atomic:\n"
      "  All schedules of this client, counted on 31 states: 10, of which 2 "
      "fail. 1 of\n"
      "  4 orders of conflicting accesses fails. No order fails with these "
      "lines\n"
      "  atomic:\n"
      "  1. lines 31-32 of stack.c, in pop()\n"
      "     Every failing schedule is interrupted inside these lines: "
      "with them atomic\n"
      "     7 schedules are left, and none fails.\n"
      "     Searched again without interrupting them: no fault in all of 20 "
      "clients.\n"
      "     No smaller block is enough, all were tried: with line 32 "
      "alone, this client\n"
      "     still fails; with line 31 alone, {pop()} || {pop()} still "
      "fails (crash).\n"
      "     To make them atomic, an atomic exchange would do.\n");
  /* Both by the same client; not all smaller ones. */
  less[1] = less[0];
  less[1].cause = (struct cause){&first, 1};
  f->causes[0].smallest = false;
  char *text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text,
            "     Less is not enough: with line 32 or line 31 alone, this "
            "client still fails.\n");
  free(text);
  fixture_free(f);
}

TEST(a_block_of_several_that_is_smaller_is_named) {
  struct fixture *f = fixture_cause();
  f->blocks_of[1] = (struct code_block){"stack.c", "push", 12, 13};
  f->causes[0].cause.nblocks = 2;
  struct code_block blocks[2] = {f->blocks_of[0], {"stack.c", "push", 12, 12}};
  struct smaller_cause less = {.cause = {blocks, 2},
                               .still_bad = TEXT("{push(1)} || {pop()}"),
                               .still_fault = FAULT_NOT_LINEARIZABLE};
  f->causes[0].smaller = &less;
  f->causes[0].nsmaller = 1;
  char *text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text, "  1. lines 31-32 of stack.c, in pop(); and lines 12-13 in "
                  "push()\n");
  CHECK_HAS(text, "with line 12 in push() instead, {push(1)} || {pop()} still "
                  "fails.\n");
  free(text);
  fixture_free(f);
}

TEST(that_all_are_interrupted_inside_is_said_only_when_it_was_counted) {
  struct fixture *f = fixture_cause();
  const char *claim = "interrupted inside these lines: ";
  f->causes[0].schedules.bad = 1;
  char *text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text, "     With them atomic 7 schedules are left, and 1 fails.\n");
  CHECK(!strstr(text, claim));
  free(text);
  f->causes[0].schedules = (struct tally){5, 0};
  f->causes[0].waits = true; /* those left out are interrupted inside, too */
  text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text, claim);
  CHECK_HAS(text,
            "     A thread inside may have to wait for a lock; executions "
            "in which it would were left out.\n");
  CHECK(!strstr(text, "Verified"));
  free(text);
  f->causes[0].schedules = (struct tally){0, 0};
  text = text_of(f, STYLE(.width = 120));
  CHECK(!strstr(text, claim) && !strstr(text, "left, and"));
  free(text);
  fixture_free(f);
}

TEST(more_schedules_than_can_be_counted) {
  struct fixture *f = fixture_cause();
  f->finding.causes.schedules = (struct tally){UINT64_MAX - 1, 1, 81204};
  f->finding.causes.complete = false;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "  All schedules of this client, counted on 81,204 states: "
                  "more than 10^19, of which 1 fails. At least 1 of 4 orders "
                  "of conflicting accesses fails. ");
  CHECK_HAS(text, "     The failing schedule is interrupted inside");
  free(text);
  f->finding.causes.schedules.all = 0; /* not counted */
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "\n  At least 1 of 4 orders of conflicting accesses fails. "
                  "No order fails");
  CHECK(!strstr(text, "All schedules"));
  free(text);
  fixture_free(f);
}

TEST(large_counts_have_two_digits) {
  struct fixture *f = fixture_cause();
  f->finding.causes.schedules =
      (struct tally){2990906168781152, 29121057966, 42248};
  f->causes[0].schedules = (struct tally){1459380934744, 0, 7};
  char *text = text_of(f, STYLE(.width = 200, .utf8 = true));
  CHECK_HAS(text, "  All schedules of this client, counted on 42,248 states: "
                  "3.0·10^15, of which 2.9·10^10 fail. ");
  CHECK_HAS(text, " with them atomic 1.5·10^12 schedules are left, and none ");
  free(text);
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "3.0*10^15, of which 2.9*10^10 fail. ");
  free(text);
  fixture_free(f);
}

TEST(orders_that_fail_in_some_schedules_only_are_told) {
  struct fixture *f = fixture_cause();
  f->finding.causes.bad = 67;
  f->finding.causes.good = 88;
  f->finding.causes.mixed = 5;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "67 of 155 orders of conflicting accesses fail, 5 of them "
                  "only in some of their schedules. ");
  free(text);
  fixture_free(f);
}

TEST(alternatives_come_below_with_their_price) {
  struct fixture *f = fixture_cause();
  static const struct code_block push = {"stack.c", "push", 12, 13};
  for (uint32_t i = 1; i < 8; i++)
    f->causes[i] = (struct ranked_cause){
        .cause = {&push, 1}, .rank = i + 1, .eliminates = 1, .lines = 2};
  f->causes[1].rank = 1;
  f->causes[1].eliminates = 0;
  f->causes[2].schedules = (struct tally){4, 1};
  f->causes[2].still_bad = TEXT("{push(1)} || {pop()}");
  f->causes[2].still_fault = FAULT_NOT_LINEARIZABLE;
  f->finding.causes.len = 8;
  char *text = text_of(f, STYLE(.width = 120));
  CHECK_HAS(text,
            "Lines that prevent the fault when they are atomic, best first:\n"
            "  1. lines 31-32 of stack.c, in pop(): no correct order "
            "is lost\n");
  CHECK_HAS(text, "  1. lines 12-13 of stack.c, in push(): no correct order "
                  "is lost, equally good\n"
                  "  3. lines 12-13 of stack.c, in push(): 1 of 3 correct "
                  "orders is lost, leaves 4 schedules of which 1 fails\n"
                  "     Not enough: {push(1)} || {pop()} still fails.\n"
                  "  4. ");
  CHECK_HAS(text, "  5. lines 12-13 of stack.c, in push(): 1 of 3 correct "
                  "orders is lost\n"
                  "  and 3 more; --all-causes shows them\n");
  free(text);
  fixture_free(f);
}

TEST(a_long_client_is_cut) {
  struct fixture *f = fixture_cause();
  struct buf client = {0};
  for (int i = 0; i < 40; i++)
    buf_puts(&client, i ? "; push(1)" : "push(1)");
  f->causes[0].enforced = false;
  f->causes[0].still_bad = client.at;
  f->causes[0].still_fault = FAULT_NOT_LINEARIZABLE;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "     Not enough: push(1); push(1); ");
  CHECK_HAS(text, "push(1); ... (--json has all of it) still fails.\n");
  free(text);
  buf_free(&client);
  fixture_free(f);
}

TEST(outcomes_are_told_when_their_lines_differ) {
  struct fixture *f = fixture_cause();
  struct value one[4] = {VOID, VOID, INT(1), INT(-1)};
  struct value two[4] = {VOID, VOID, INT(2), INT(2)};
  struct code_block push = {"stack.c", "push", 12, 13};
  struct ranked_cause other = {.cause = {&push, 1}, .rank = 1};
  struct outcome_causes outcomes[2] = {{one, 4, 1, f->causes, 1},
                                       {two, 4, 1, f->causes, 1}};
  f->finding.causes.by_outcome = outcomes;
  f->finding.causes.noutcomes = 2;
  char *text = text_of(f, STYLE(.width = 80));
  CHECK(!strstr(text, "outcome"));
  free(text);
  outcomes[1].at = &other;
  text = text_of(f, STYLE(.width = 80));
  CHECK_HAS(text, "  The best for each failing outcome by itself:\n"
                  "     pop() = 1; pop() = -1: lines 31-32 in pop()\n"
                  "     pop() = 2; pop() = 2: lines 12-13 in push()\n");
  free(text);
  fixture_free(f);
}

/* ---- the nearest passing schedule ---- */

TEST(the_nearest_passing_schedule) {
  struct fixture *f = fixture_cause();
  check_section(f, "Nearest passing schedule:",
                "Nearest passing schedule:\n"
                "  The same, but T2 runs line 32 and returns from pop() before "
                "T1 begins push(2).\n"
                "  Then the final pop() returns 2 instead of -1.\n");
  f->near_results[3] = INT(-1); /* only the order of the calls differs */
  f->near_events[6].thread = 1; /* T2 does not get as far */
  check_section(
      f, "Nearest passing schedule:",
      "Nearest passing schedule:\n"
      "  The same, but T2 runs line 32 before T1 begins push(2). Then "
      "an order explains\n"
      "  the same results.\n");
  fixture_free(f);
}

TEST(a_thread_that_comes_first_with_all_of_its_call) {
  struct fixture *f = fixture_cause();
  /* T1 is first: push(2), then T2's pop(). */
  memcpy(f->near_events + 3, f->events + 5, 4 * sizeof *f->events);
  memcpy(f->near_events + 7, f->events + 3, 2 * sizeof *f->events);
  memcpy(f->near_events + 9, f->events + 9, 2 * sizeof *f->events);
  f->finding.near.event = 3;
  f->finding.near.failing = 2;
  f->finding.near.passing = 1;
  f->near_results[2] = INT(2);
  f->near_results[3] = INT(1);
  check_section(
      f, "Nearest passing schedule:",
      "Nearest passing schedule:\n"
      "  The same, but T1 runs all of push(2) before T2 begins pop(). "
      "Then T2's pop()\n"
      "  returns 2 instead of 1, the final pop() returns 1 instead of "
      "-1.\n");
  /* A part of it, before a line of the other's. */
  f->finding.near.event = 4;
  f->near_events[6].thread = 2;
  memcpy(f->near_events + 4, f->events + 5, 2 * sizeof *f->events);
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "The same, but T1 begins push(2) and gets to line 12 before "
                  "T2 runs line 31. ");
  free(text);
  fixture_free(f);
}

TEST(a_thread_that_goes_on_over_several_calls) {
  struct fixture *f = fixture_cause();
  struct neighbour *near = &f->finding.near;
  struct event *e = f->near_events;
  e[7] = (struct event){.kind = EV_CALL, .thread = 2, .call = 3};
  e[8] = (struct event){.kind = EV_READ, .thread = 2, .call = 3, .pc = 3309};
  e[9] = (struct event){.kind = EV_RETURN, .thread = 2, .call = 3};
  near->trace.nevents = 9;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "but T2 goes on to line 33 in pop() before T1 ");
  free(text);
  near->trace.nevents = 10;
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "but T2 goes on until it returns from pop() before T1 ");
  free(text);
  near->event = 3; /* from the beginning of its first call */
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "but T2 runs all calls from pop() to pop() before T1 ");
  free(text);
  fixture_free(f);
}

TEST(stores_that_reach_memory_are_no_lines_that_run) {
  struct fixture *f = fixture_cause();
  struct neighbour *near = &f->finding.near;
  struct event *e = f->near_events + near->event;
  e[0] = (struct event){.kind = EV_COMMIT, .thread = 2, .call = 2, .pc = 3309};
  near->trace.nevents = near->event + 1;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "but T2's store of line 33 reaches memory before T1 begins");
  free(text);
  e[1] = e[0];
  near->trace.nevents = near->event + 2;
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "but T2's next 2 stores, up to that of line 33, reach memory "
                  "before T1 begins");
  free(text);
  f->events[near->event].kind = EV_COMMIT; /* of the failing one, by T1 */
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "before T1's store ");
  free(text);
  fixture_free(f);
}

TEST(what_passes_of_a_fault_is_that_there_is_none) {
  struct fixture *f = fixture_cause();
  f->finding.fault = FAULT_CRASH;
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "before T1 begins push(2). Then there is no fault.\n");
  free(text);
  fixture_free(f);
}

TEST(a_call_that_returns_only_there_is_told) {
  struct fixture *f = fixture_cause();
  struct hop ops[4];
  memcpy(ops, f->ops, sizeof ops);
  f->ops[1].ret = HISTORY_PENDING; /* push(2) waits in the failing one */
  f->near_results[3] = INT(-1);
  f->finding.near.trace.history = (struct history){&f->finding.client, ops, 0};
  char *text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "before T1 begins push(2). Then T1's push(2) returns.\n");
  free(text);
  ops[2].ret = HISTORY_PENDING; /* and pop() waits in the good one */
  text = text_of(f, STYLE(.width = 200));
  CHECK_HAS(text, "Then T1's push(2) returns, T2's pop() waits instead of "
                  "returning 1.\n");
  free(text);
  fixture_free(f);
}

TEST(no_neighbour_no_section) {
  struct fixture *f = fixture_cause();
  f->finding.near.found = false;
  char *text = text_of(f, STYLE(.width = 80));
  CHECK(!strstr(text, "Nearest"));
  free(text);
  fixture_free(f);
}

TEST(hostile_names_stay_within_the_lines) {
  char name[300];
  memset(name, 'n', sizeof name);
  memcpy(name, "\033]0;x\007\xff\n", 8);
  strcpy(name + 290, "_end");
  for (uint32_t width = 40; width <= 120; width += 20) {
    struct fixture *f = fixture_cause();
    f->function = f->blocks_of[0].function = name;
    f->blocks_of[0].file = f->file = name;
    f->result.names.name = (const char *const[]){"p\033ush", name, "get"};
    f->causes[0].covered = f->causes[0].fix = name;
    char *text = text_of(f, STYLE(.width = width, .utf8 = true));
    const char *why = strstr(text, "Nearest passing");
    struct buf line = {0};
    CHECK(strchr(text, '\033') == NULL);
    for (const char *p = why ? why : ""; *p && strncmp(p, "Replay", 6);) {
      size_t n = strcspn(p, "\n");
      buf_clear(&line);
      buf_put(&line, p, n);
      if (!CHECK(cell_width(buf_text(&line)) <= width))
        fprintf(stderr, "  %s\n", buf_text(&line));
      p += n + (p[n] == '\n');
    }
    CHECK(why != NULL);
    buf_free(&line);
    free(text);
    fixture_free(f);
  }
}

/* ---- JSON ---- */

static const struct json_node *json_of(struct fixture *f) {
  struct buf out = {0};
  struct story *s = story_new(&f->result, &f->namer);
  struct report_run run = {.story = s};
  report_json(&run, 1, &out);
  const struct json_node *j = json_parsed(buf_text(&out), out.len);
  if (!j)
    fprintf(stderr, "%s\n", buf_text(&out));
  story_free(s);
  buf_free(&out);
  return j;
}

static const char *text_in(const struct json_node *object, const char *name) {
  return json_text_of(json_get(object, name));
}

static long long number_in(const struct json_node *object, const char *name) {
  const struct json_node *j = json_get(object, name);
  return json_is(j, JSON_WHOLE) ? json_number_of(j) : -999;
}

TEST(causes_in_json) {
  struct fixture *f = fixture_cause();
  struct code_block first = {"stack.c", "pop", 31, 31};
  struct smaller_cause less = {.cause = {&first, 1},
                               .still_bad = TEXT("{pop()} || {pop()}"),
                               .still_fault = FAULT_CRASH};
  struct value results[4] = {VOID, VOID, INT(1), INT(-1)};
  struct outcome_causes outcome = {results, 4, 1, f->causes, 1};
  f->causes[0].smaller = &less;
  f->causes[0].nsmaller = 1;
  f->causes[0].smallest = true;
  struct trace_cause single = {f->causes[0].cause, 5, 3};
  struct trace_rank rank = {0, 1};
  struct trace_answer answers[2] = {{4, 0, results, 4, &rank, 1},
                                    {1, UINT32_MAX, NULL, 0, &rank, 1}};
  f->finding.causes.single = &single;
  f->finding.causes.nsingle = 1;
  f->finding.causes.answers = answers;
  f->finding.causes.nanswers = 2;
  f->finding.causes.all_events = 60;
  f->finding.causes.all_accesses = 30;
  f->finding.causes.all_conflicts = 20;
  f->finding.causes.events = 6;
  f->finding.causes.conflicts = 4;
  f->finding.causes.by_outcome = &outcome;
  f->finding.causes.noutcomes = 1;
  const struct json_node *j = json_of(f);
  const struct json_node *c = json_at(json_get(j, "causes"), 0);
  CHECK_INT(number_in(c, "rank"), 1);
  CHECK_INT(number_in(c, "eliminates"), 0);
  CHECK(json_is_true(json_get(c, "enforced")));
  CHECK_STR(text_in(c, "covered"), "all of 20 clients");
  CHECK(json_is(json_get(c, "still_fails"), JSON_NULL));
  CHECK_INT(number_in(json_get(c, "schedules"), "all"), 7);
  CHECK_INT(number_in(json_get(c, "schedules"), "failing"), 0);
  const struct json_node *block = json_at(json_get(c, "blocks"), 0);
  CHECK_STR(text_in(block, "function"), "pop");
  CHECK_INT(number_in(block, "first"), 31);
  CHECK_INT(number_in(block, "last"), 32);
  const struct json_node *smaller = json_at(json_get(c, "smaller"), 0);
  CHECK_STR(text_in(smaller, "still_fails"), "{pop()} || {pop()}");
  CHECK_STR(text_in(smaller, "still_fault"), "crash");
  block = json_at(json_get(smaller, "blocks"), 0);
  CHECK_INT(number_in(block, "last"), 31);
  CHECK(json_is_true(json_get(c, "smallest")));
  const struct json_node *all = json_get(json_get(j, "traces"), "schedules");
  CHECK_INT(number_in(all, "all"), 10);
  CHECK_INT(number_in(all, "failing"), 2);
  const struct json_node *o = json_at(json_get(j, "failing_outcomes"), 0);
  CHECK_INT(number_in(o, "failing"), 1);
  const struct json_node *e = json_at(json_get(j, "eliminators"), 0);
  CHECK_INT(number_in(e, "traces"), 5);
  CHECK_INT(number_in(e, "eliminates"), 3);
  CHECK_INT((int)json_len(json_get(e, "blocks")), 1);
  CHECK_INT(number_in(json_get(j, "traces"), "events"), 6);
  CHECK_INT(number_in(json_get(j, "traces"), "conflicts"), 4);
  const struct json_node *a = json_at(json_get(j, "answers"), 0);
  CHECK_INT(number_in(a, "traces"), 4);
  CHECK_INT((int)json_len(json_get(a, "results")), 4);
  CHECK_INT(number_in(json_at(json_get(a, "eliminators"), 0), "rank"), 1);
  CHECK_INT(number_in(json_at(json_get(a, "eliminators"), 0), "eliminator"), 0);
  a = json_at(json_get(j, "answers"), 1);
  CHECK(json_is(json_get(a, "results"), JSON_NULL));
  const struct json_node *average = json_get(json_get(j, "traces"), "average");
  CHECK(json_get(average, "events") && json_get(average, "accesses"));
  CHECK(json_is_true(json_get(json_get(j, "traces"), "causes_complete")));
  CHECK_INT((int)json_len(json_get(o, "results")), 4);
  CHECK_INT((int)json_len(json_get(o, "causes")), 1);
  f->causes[0].schedules.all = 0; /* not counted */
  j = json_of(f);
  c = json_at(json_get(j, "causes"), 0);
  CHECK(json_is(json_get(c, "schedules"), JSON_NULL));
  fixture_free(f);
}

TEST(the_nearest_passing_schedule_in_json) {
  struct fixture *f = fixture_cause();
  const struct json_node *j = json_of(f), *n = json_get(j, "nearest");
  CHECK_HAS(text_in(n, "sentence"), "before T1 begins push(2).");
  CHECK_INT(number_in(n, "event"), 5);
  CHECK_INT(number_in(n, "thread"), 2);
  CHECK_INT(number_in(n, "instead_of"), 1);
  CHECK_INT(number_in(n, "line"), 32);
  const struct json_node *results = json_get(n, "results");
  CHECK_INT((int)json_len(results), 4);
  CHECK_INT((int)json_number_of(json_at(results, 3)), 2);
  CHECK(json_is(json_at(results, 0), JSON_NULL));
  f->finding.near.found = false;
  j = json_of(f);
  CHECK(json_is(json_get(j, "nearest"), JSON_NULL));
  fixture_free(f);
}

TEST_MAIN
