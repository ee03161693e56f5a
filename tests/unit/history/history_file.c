/* Histories that were written are read as they were. */
#include "history/read/history_file.h"
#include "model/history_file.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const name[] = {"add", "get", "label", "mask"};
static const uint8_t nargs[] = {1, 0, 0, 0};
static const uint8_t kinds[] = {VALUE_BOOL, VALUE_INT, VALUE_STRING,
                                VALUE_UINT};
static const struct history_names names = {{name, 4}, nargs, kinds};

static int read_text(const char *text, struct history_read *out,
                     struct error *e) {
  char path[] = "/tmp/history-XXXXXX";
  int fd = mkstemp(path);
  size_t n = strlen(text);
  CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n);
  close(fd);
  int err = history_file_read(out, path, &names, e);
  unlink(path);
  return err;
}

static struct call call_of(uint16_t op, int64_t arg) {
  return (struct call){.op = op, .nargs = nargs[op], .args = {arg}};
}

TEST(what_is_written_is_read) {
  struct client c = {0};
  client_add_init(&c, call_of(0, 7));
  client_add(&c, 1, call_of(0, 8));
  client_add(&c, 1, call_of(1, 0));
  client_add(&c, 2, call_of(2, 0));
  client_add_final(&c, call_of(1, 0));
  struct hop ops[] = {{1, 2, value_bool(true)},
                      {3, 5, value_bool(false)},
                      {6, HISTORY_PENDING, value_void()},
                      {4, 7, value_string("x \"y\"")},
                      {8, 9, value_int(-3)}};
  struct history h = {.client = &c, .ops = ops};
  struct buf text = {0};
  history_file_print(&h, "thing", &names.ops, &text);
  struct history_read in;
  struct error e = {0};
  CHECK_INT(read_text(buf_text(&text), &in, &e), ERR_NONE);
  CHECK_STR(e.text, "");
  CHECK_STR(in.object, "thing");
  CHECK(client_equal(&c, &in.client));
  history_check_invariants(&in.history);
  for (uint32_t a = 0; a < 5; a++) {
    CHECK_INT(hop_pending(&ops[a]), hop_pending(&in.history.ops[a]));
    if (!hop_pending(&ops[a]))
      CHECK(value_equal(ops[a].result, in.history.ops[a].result));
    for (uint32_t b = 0; b < 5; b++)
      CHECK_INT(hop_before(&ops[a], &ops[b]),
                hop_before(&in.history.ops[a], &in.history.ops[b]));
  }
  history_read_free(&in);
  buf_free(&text);
  client_free(&c);
}

TEST(unsigned_results_have_all_their_bits) {
  struct history_read in;
  struct error e = {0};
  CHECK_INT(read_text("{\"type\":\"call\",\"process\":1,\"name\":\"mask\"}\n"
                      "{\"type\":\"return\",\"process\":1,"
                      "\"result\":18446744073709551615}\n",
                      &in, &e),
            ERR_NONE);
  CHECK_STR(e.text, "");
  if (in.history.ops)
    CHECK(value_equal(in.history.ops[0].result, value_uint(UINT64_MAX)));
  history_read_free(&in);
}

#define HEAD "{\"type\":\"history\",\"version\":1,\"object\":\"o\"}\n"
#define CALL "{\"type\":\"call\",\"op\":0,\"thread\":1,\"name\":"

static void refuses(const char *text, const char *reason) {
  struct history_read in;
  struct error e = {0};
  CHECK_INT(read_text(text, &in, &e), ERR_INPUT);
  if (!CHECK(strstr(e.text, reason)))
    printf("%s\n", e.text);
  CHECK(!in.client.calls && !in.history.ops && !in.object);
}

TEST(wrong_lines_are_named) {
  refuses("", "the file is empty");
  refuses("{\"type\":\"odd\"}\n", ":1:9: expected the type call");
  refuses("{\"type\":\"call\",\"name\":\"get\"}\n",
          ":1:1: expected a \"process\"");
  refuses("{\"type\":\"call\",\"process\":-1,\"name\":\"get\"}\n",
          ":1:26: expected a process number");
  refuses("{\"type\":\"return\",\"process\":1}\n",
          ":1:1: process 1 returns, but has not called");
  refuses("{\"type\":\"history\",\"version\":2}\n", ":1:1: expected version 1");
  refuses(HEAD HEAD, ":2: a second history");
  refuses(HEAD "{\"type\":\"call\"", ":2:15: expected , or }");
  refuses(HEAD CALL "\"put\",\"args\":[]}\n", ":2: the object has no");
  refuses(HEAD CALL "\"add\",\"args\":[]}\n", ":2: add() takes 1 argument");
  refuses(HEAD CALL "\"add\",\"args\":[true]}\n", ":2: arguments are integers");
  refuses(HEAD "{\"type\":\"return\",\"op\":0}\n",
          ":2:1: operation 0 returns, but was not called");
  refuses(HEAD CALL "\"get\",\"args\":[]}\n" CALL "\"get\",\"args\":[]}\n",
          ":3:1: process 1 calls get before its get of line 2 has returned");
  refuses(HEAD CALL "\"get\",\"args\":[]}\n"
                    "{\"type\":\"return\",\"thread\":1,\"result\":true}\n",
          ":2: get() returns another type of result");
  refuses(HEAD CALL "\"get\",\"args\":[]}\n"
                    "{\"type\":\"fail\",\"thread\":1}\n",
          ":2: get() failed, and a client has no such result");
}

static void reads(const char *text, const char *client) {
  struct history_read in;
  struct error e = {0};
  struct buf out = {0};
  CHECK_INT(read_text(text, &in, &e), ERR_NONE);
  CHECK_STR(e.text, "");
  client_print(&in.client, &names.ops, &out);
  CHECK_STR(buf_text(&out), client);
  history_check_invariants(&in.history);
  buf_free(&out);
  history_read_free(&in);
}

#define BY(who, name) "{\"type\":\"call\"," who ",\"name\":\"" name "\"}\n"
#define END(who) "{\"type\":\"return\"," who ",\"result\":1}\n"
#define P(n) "\"process\":" #n
#define O(n) "\"op\":" #n

TEST(numbers_of_operations_and_the_header_may_be_left_out) {
  reads(BY(P(1), "get") BY(P(7), "get") END(P(7)) END(P(1)) BY(P(1), "get"),
        "{get(); get()} || {get()}");
  reads("{\"type\":\"call\",\"process\":1,\"f\":\"add\",\"args\":[4]}\n",
        "{add(4)}");
}

TEST(operations_without_a_process_have_as_few_threads_as_they_need) {
  reads(BY(O(3), "get") BY(O(5), "get") END(O(3)) BY(O(6), "get") END(O(6)),
        "{get(); get()} || {get()}");
}

TEST(process_0_is_the_main_thread_if_it_overlaps_with_no_other) {
  reads(BY(P(0), "get") END(P(0)) BY(P(1), "get") BY(P(2), "get") END(P(2))
            END(P(1)) BY(P(0), "label"),
        "get(); {get()} || {get()}; label()");
  reads(BY(P(0), "get") BY(P(1), "get") END(P(0)) END(P(1)),
        "{get()} || {get()}");
}

TEST(what_was_dropped_is_not_there_and_notes_are_no_events) {
  reads(BY(P(1), "get") "{\"type\":\"note\",\"text\":\"x\"}\n" BY(
            P(2),
            "label") "{\"type\":\"drop\",\"process\":2}\n" BY(P(2),
                                                              "get") "{\"type\""
                                                                     ":\"info\""
                                                                     ",\"proces"
                                                                     "s\":2}"
                                                                     "\n" END(
                                                                         P(1)),
        "{get()} || {get()}");
}

TEST_MAIN
