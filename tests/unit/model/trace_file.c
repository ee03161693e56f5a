/*
 * Traces as files: what is written reads as the same, what is malformed is
 * refused with its line and the reason, and garbage never does harm.
 */
#include "test.h"

#include "base/rng.h"
#include "model/trace_file.h"

#include <stdlib.h>
#include <unistd.h>

#define HEADER "{\"type\":\"trace\",\"version\":1}\n"

static struct trace_file file;
static struct error error;

static int parse(const char *text) {
  error = (struct error){0};
  return trace_file_parse(&file, text, strlen(text), "t.jsonl", &error);
}

static const char *printed(void) {
  static struct buf b;
  buf_clear(&b);
  struct trace_places places = {trace_file_place, &file};
  for (uint32_t i = 0; i < file.ntraces; i++)
    trace_file_print(&file.traces[i].trace, &file.traces[i].about, &places, &b);
  return buf_text(&b);
}

/* Every field, in the order in which they are written. */
static const char full[] =
    "{\"type\":\"trace\",\"version\":1,\"object\":\"stack\","
    "\"verdict\":\"violation\"}\n"
    "{\"type\":\"call\",\"thread\":1,\"op\":0,\"name\":\"push\","
    "\"activations\":[1]}\n"
    "{\"type\":\"alloc\",\"thread\":1,\"op\":0,\"addr\":\"0x1000\","
    "\"size\":16,\"file\":\"stack.c\",\"function\":\"push\",\"line\":4,"
    "\"activations\":[1]}\n"
    "{\"type\":\"rmw\",\"thread\":1,\"op\":0,\"addr\":\"0xfffffffffffffff0\","
    "\"size\":8,\"value\":-1,\"old\":7,\"file\":\"cell.h\","
    "\"function\":\"add\",\"line\":12,\"column\":3,\"calls\":["
    "{\"file\":\"stack.c\",\"function\":\"push\",\"line\":5},{}],"
    "\"activations\":[3,2,1]}\n"
    "{\"type\":\"lock\",\"thread\":2,\"op\":1,\"addr\":\"0x80\",\"size\":40,"
    "\"activations\":[4]}\n"
    "{\"type\":\"cas failed\",\"thread\":2,\"op\":1,\"addr\":\"0x1000\","
    "\"size\":4,\"value\":9,\"function\":\"pop\",\"activations\":[4]}\n"
    "{\"type\":\"return\",\"thread\":1,\"op\":0,\"activations\":[1]}\n"
    "{\"type\":\"write\",\"thread\":0,\"addr\":\"0x2000\",\"size\":32,"
    "\"activations\":[5]}\n"
    "{\"type\":\"trace\",\"version\":1,\"verdict\":\"pass\"}\n"
    "{\"type\":\"free\",\"thread\":1,\"op\":0,\"addr\":\"0x10\",\"size\":0,"
    "\"activations\":[1]}\n";

TEST(what_is_read_prints_as_it_was) {
  if (!CHECK_INT(parse(full), 0)) {
    fprintf(stderr, "%s\n", error.text);
    return;
  }
  CHECK_STR(printed(), full);
  trace_file_free(&file);
}

TEST(a_trace_has_what_its_file_says) {
  if (!CHECK_INT(parse(full), 0))
    return;
  CHECK_INT(file.ntraces, 2);
  const struct stored_trace *t = &file.traces[0];
  CHECK_INT(t->line, 1);
  CHECK_INT(file.traces[1].line, 9);
  CHECK_STR(t->about.object, "stack");
  CHECK_INT(t->about.verdict, VERDICT_VIOLATION);
  CHECK_INT(file.traces[1].about.verdict, VERDICT_PASS);
  CHECK_STR(t->about.op_names[0], "push");
  CHECK_INT(t->trace.nevents, 7);
  const struct event *e = &t->trace.events[2];
  CHECK_INT(e->kind, EV_RMW);
  CHECK_INT(e->thread, 1);
  CHECK_INT(e->call, 0);
  CHECK(e->addr == UINT64_MAX - 15 && e->size == 8);
  CHECK(e->value[0] == UINT64_MAX && e->old[0] == 7 && !e->flags);
  const struct place *p = trace_file_place(&file, e->pc);
  CHECK_STR(p->function, "add");
  CHECK_INT(p->line, 12);
  const struct frame *site = &t->trace.frames[e->chain];
  CHECK_INT(trace_file_place(&file, site->call_pc)->line, 5);
  site = &t->trace.frames[site->parent];
  CHECK(!trace_file_place(&file, site->call_pc) && !site->parent);
  CHECK_INT(t->trace.events[6].call, EVENT_NO_CALL);
  CHECK_INT(t->trace.events[6].flags, EVENT_NO_VALUE | EVENT_NO_OLD);
  trace_file_free(&file);
}

TEST(equal_names_are_equal_pointers) {
  if (!CHECK_INT(parse(full), 0))
    return;
  const struct event *e = file.traces[0].trace.events;
  const struct place *a = trace_file_place(&file, e[1].pc);
  const struct frame *f = &file.traces[0].trace.frames[e[2].chain];
  CHECK(a->file == trace_file_place(&file, f->call_pc)->file);
  trace_file_free(&file);
}

TEST(a_location_can_be_a_name) {
  CHECK_INT(
      parse(HEADER
            "{\"type\":\"read\",\"thread\":1,\"var\":\"head.next\"}\r\n"
            "\n"
            "{\"type\":\"write\",\"thread\":2,\"var\":\"tail\",\"size\":8}\n"
            "{\"type\":\"write\",\"thread\":2,\"var\":\"head.next\",\"x\":1}"),
      0);
  const struct event *e = file.traces[0].trace.events;
  CHECK_INT(file.traces[0].trace.nevents, 3);
  CHECK(e[0].addr == e[2].addr && e[0].size == 1);
  CHECK(e[1].addr >= e[0].addr + 1 || e[1].addr + 8 <= e[0].addr);
  trace_file_free(&file);
}

/* The reason stands behind "t.jsonl:LINE: ". */
static void refused(const char *text, const char *why) {
  int code = parse(text);
  if (!CHECK_INT(code, ERR_INPUT))
    trace_file_free(&file);
  CHECK_STR(error.text, why);
  CHECK(!file.traces && !file.ntraces && !file.arena.chunks);
}

TEST(malformed_lines_are_refused_with_line_and_reason) {
  refused("", "t.jsonl: holds no trace");
  refused("\n \n", "t.jsonl: holds no trace");
  refused("{\"type\":\"read\"}\n",
          "t.jsonl:1: this is no trace: the first line is not a header "
          "({\"type\":\"trace\",\"version\":1})");
  refused(HEADER "[]", "t.jsonl:2: not a JSON object");
  refused(HEADER "{}", "t.jsonl:2: no \"type\"");
  refused(HEADER "{\"type\":1}", "t.jsonl:2: no \"type\"");
  refused(HEADER "\n{\"type\":\"raed\",\"thread\":1}",
          "t.jsonl:3: unknown type \"raed\"");
  refused("{\"type\":\"trace\",\"version\":2}",
          "t.jsonl:1: version 2 of trace files is not known; 1 is");
  refused("{\"type\":\"trace\"}",
          "t.jsonl:1: version 0 of trace files is not known; 1 is");
  refused("{\"type\":\"trace\",\"version\":1,\"verdict\":\"good\"}",
          "t.jsonl:1: unknown verdict \"good\"");
}

TEST(malformed_events_are_refused_with_line_and_reason) {
  refused(HEADER "{\"type\":\"read\",\"var\":\"x\"}",
          "t.jsonl:2: read without \"thread\"");
  refused(HEADER "{\"type\":\"read\",\"thread\":256,\"var\":\"x\"}",
          "t.jsonl:2: \"thread\" is 256, not in 0 to 255");
  refused(HEADER "{\"type\":\"read\",\"thread\":-1,\"var\":\"x\"}",
          "t.jsonl:2: \"thread\" is -1, not in 0 to 255");
  refused(HEADER "{\"type\":\"read\",\"thread\":1.0,\"var\":\"x\"}",
          "t.jsonl:2: \"thread\" is not a whole number");
  refused(HEADER "{\"type\":\"read\",\"thread\":1}",
          "t.jsonl:2: read without \"addr\" or \"var\"");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"addr\":8}",
          "t.jsonl:2: read without \"size\"");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"addr\":8,\"var\":\"x\"}",
          "t.jsonl:2: both \"addr\" and \"var\"");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"addr\":\"0xg\"}",
          "t.jsonl:2: \"addr\" is neither a number nor a string like "
          "\"0x1f40\"");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"addr\":-8,\"size\":1}",
          "t.jsonl:2: \"addr\" is negative");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,"
                 "\"addr\":\"0xffffffffffffffff\",\"size\":2}",
          "t.jsonl:2: \"addr\" + \"size\" is beyond the end of memory");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"var\":\"x\",\"file\":3}",
          "t.jsonl:2: \"file\" is not a string");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"var\":\"x\",\"calls\":3}",
          "t.jsonl:2: \"calls\" is not an array");
  refused(HEADER "{\"type\":\"read\",\"thread\":1,\"var\":\"x\",\"calls\":[3]}",
          "t.jsonl:2: \"calls\" holds something that is not an object");
  refused(HEADER "{\"type\":\"call\",\"thread\":1}",
          "t.jsonl:2: call without \"op\"");
}

TEST(what_is_not_json_is_refused) {
  CHECK_INT(parse(HEADER "{\"type\":\"read\","), ERR_INPUT);
  CHECK_HAS(error.text, "t.jsonl:2: not JSON: ");
  CHECK_INT(parse(HEADER "{\"type\":\"read\",\"type\":\"write\"}"), ERR_INPUT);
  CHECK_HAS(error.text, "t.jsonl:2: not JSON: ");
  CHECK_INT(parse("\xff\xfe"), ERR_INPUT);
  CHECK_HAS(error.text, "t.jsonl:1: not JSON: ");
}

#define STEP(thread, op)                                                       \
  "{\"type\":\"step\",\"thread\":" #thread ",\"op\":" #op "}\n"

TEST(operations_lie_in_one_thread_and_end) {
  refused(HEADER STEP(1, 5) STEP(2, 5),
          "t.jsonl:3: operation 5 belongs to thread 1");
  refused(HEADER STEP(1, 5) STEP(1, 6) STEP(1, 5),
          "t.jsonl:4: operation 5 goes on after thread 1 has begun another");
  refused(HEADER "{\"type\":\"return\",\"thread\":1,\"op\":5}\n" STEP(1, 5),
          "t.jsonl:3: operation 5 has returned in line 2");
  CHECK_INT(parse(HEADER STEP(1, 5) STEP(2, 6) STEP(1, 5) STEP(1, 7)), 0);
  trace_file_free(&file);
  CHECK_INT(parse(HEADER STEP(1, 5) HEADER STEP(2, 5)), 0);
  trace_file_free(&file);
}

TEST(a_file_that_is_not_there_is_an_error) {
  error = (struct error){0};
  CHECK_INT(trace_file_read(&file, "/nonexistent/t.jsonl", &error), ERR_INPUT);
  CHECK_HAS(error.text, "/nonexistent/t.jsonl");
}

TEST(a_file_is_read_from_disk) {
  char path[] = "/tmp/trace_file_XXXXXX";
  int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return;
  CHECK(write(fd, full, sizeof full - 1) == (ssize_t)sizeof full - 1);
  close(fd);
  error = (struct error){0};
  CHECK_INT(trace_file_read(&file, path, &error), 0);
  CHECK_STR(printed(), full);
  trace_file_free(&file);
  unlink(path);
}

/* An inlined function, called from one that was called. */
static const struct place outer = {"a.c", "outer", 20, 0, NULL};
static const struct place inlined = {"a.h", "inner", 3, 1, &outer};
static const struct place site = {"m.c", "main", 9, 0, NULL};

static const struct place *some_place(void *ctx, uint64_t pc) {
  (void)ctx;
  return pc == 100 ? &inlined : pc == 200 ? &site : NULL;
}

TEST(inlined_calls_are_written_as_calls) {
  struct event e = {.kind = EV_READ,
                    .thread = 1,
                    .call = 2,
                    .pc = 100,
                    .chain = 1,
                    .activation = 3,
                    .addr = 64,
                    .size = 4,
                    .value = {5}};
  struct frame frames[] = {{0, 0}, {200, 0}};
  /* In between, something that is no code of the object has called. */
  struct activation activations[] = {{0, 0}, {0, 0}, {200, 1}, {0, 2}};
  struct trace t = {.events = &e,
                    .nevents = 1,
                    .frames = frames,
                    .nframes = 2,
                    .activations = activations,
                    .nactivations = 4};
  struct trace_about about = {.verdict = VERDICT_UNKNOWN};
  struct trace_places places = {some_place, NULL};
  struct buf b = {0};
  trace_file_print(&t, &about, &places, &b);
  CHECK_STR(buf_text(&b),
            "{\"type\":\"trace\",\"version\":1,\"verdict\":\"unknown\"}\n"
            "{\"type\":\"read\",\"thread\":1,\"op\":2,\"addr\":\"0x40\","
            "\"size\":4,\"value\":5,\"file\":\"a.h\",\"function\":\"inner\","
            "\"line\":3,\"column\":1,\"calls\":["
            "{\"file\":\"a.c\",\"function\":\"outer\",\"line\":20},"
            "{\"file\":\"m.c\",\"function\":\"main\",\"line\":9}],"
            "\"activations\":[3,3,1]}\n");
  CHECK_INT(parse(buf_text(&b)), 0);
  const struct trace *read = &file.traces[0].trace;
  CHECK_INT(read->nactivations, 4);
  CHECK_INT(read->events[0].activation, 3);
  for (uint32_t i = 1; i < 4; i++)
    CHECK_INT(read->activations[i].parent, i - 1);
  for (uint32_t a = 3, f = read->events[0].chain; f; f = read->frames[f].parent)
    CHECK_INT(read->activations[a--].call_pc, read->frames[f].call_pc);
  trace_file_free(&file);
  buf_free(&b);
}

#define INNER(NUMBERS)                                                         \
  "{\"type\":\"read\",\"thread\":1,\"op\":0,\"var\":\"x\","                    \
  "\"calls\":[{\"line\":5}]" NUMBERS "}\n"
#define OUTER(THREAD, NUMBERS)                                                 \
  "{\"type\":\"read\",\"thread\":" THREAD ",\"op\":" THREAD                    \
  ",\"var\":\"x\"" NUMBERS "}\n"

TEST(activations_of_one_place_are_told_apart) {
  if (!CHECK_INT(parse(HEADER INNER(",\"activations\":[7,4]") INNER(
                     ",\"activations\":[7,4]") INNER(",\"activations\":[8,4]")
                           INNER(",\"activations\":[8,5]")),
                 0))
    return;
  const struct trace *t = &file.traces[0].trace;
  const struct activation *a = t->activations;
  const struct event *e = t->events;
  CHECK_INT(e[0].activation, e[1].activation);
  CHECK(e[1].activation != e[2].activation);
  CHECK_INT(a[e[1].activation].parent, a[e[2].activation].parent);
  CHECK(a[e[2].activation].parent != a[e[3].activation].parent);
  CHECK_INT(a[e[0].activation].call_pc, t->frames[e[0].chain].call_pc);
  trace_file_free(&file);
}

TEST(without_numbers_calls_from_one_place_in_one_operation_are_one) {
  if (!CHECK_INT(
          parse(HEADER INNER("") INNER("") OUTER("1", "") OUTER("2", "")), 0))
    return;
  const struct activation *a = file.traces[0].trace.activations;
  const struct event *e = file.traces[0].trace.events;
  CHECK_INT(e[0].activation, e[1].activation);
  CHECK(a[e[0].activation].parent && !a[a[e[0].activation].parent].parent);
  CHECK(e[2].activation && e[2].activation != e[3].activation);
  trace_file_free(&file);
}

TEST(wrong_activations_are_refused) {
  refused(HEADER INNER(",\"activations\":7"),
          "t.jsonl:2: \"activations\" is not an array");
  refused(HEADER INNER(",\"activations\":[7]"),
          "t.jsonl:2: \"activations\" has 1 numbers, not one and one for each "
          "of 1 calls");
  refused(HEADER INNER(",\"activations\":[7,\"x\"]"),
          "t.jsonl:2: \"activations\" holds something that is not a number");
}

/* Copies with bytes dropped, doubled or replaced. */
static void mutate(struct rng *r, struct buf *out) {
  uint64_t odds = 50 + rng_below(r, 5000);
  buf_clear(out);
  for (size_t i = 0; i < sizeof full - 1; i++) {
    uint64_t what = rng_below(r, odds);
    if (what == 0)
      continue;
    buf_putc(out, what == 1 ? (char)rng_below(r, 256) : full[i]);
    if (what == 2)
      buf_putc(out, full[rng_below(r, sizeof full - 1)]);
  }
}

TEST(mutations_are_refused_or_print_as_what_they_read_as) {
  struct rng r = {1};
  struct buf text = {0}, once = {0};
  uint32_t good = 0, bad = 0;
  for (int i = 0; i < 8000; i++) {
    mutate(&r, &text);
    error = (struct error){0};
    if (trace_file_parse(&file, buf_text(&text), text.len, "t", &error)) {
      bad++;
      CHECK(error.code == ERR_INPUT && error.text[0]);
      continue;
    }
    good++;
    buf_clear(&once);
    buf_puts(&once, printed());
    trace_file_free(&file);
    if (CHECK_INT(parse(buf_text(&once)), 0))
      CHECK_STR(printed(), buf_text(&once));
    trace_file_free(&file);
  }
  CHECK(good > 100 && bad > 1000);
  buf_free(&text);
  buf_free(&once);
}

TEST_MAIN
