/* Histories as files: every line is JSON, and the order of the lines is the
 * real-time order of the history, no more and no less. */
#include "json_test.h"
#include "test.h"

#include "base/rng.h"
#include "model/history_file.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const words[] = {"put", "get"};
static const struct op_names names = {words, 2};

/* {put(7, -1); get()} || {get()}; get() */
static void example(struct client *c) {
  *c = (struct client){0};
  client_add(c, 1, (struct call){.op = 0, .nargs = 2, .args = {7, -1}});
  client_add(c, 1, (struct call){.op = 1});
  client_add(c, 2, (struct call){.op = 1});
  client_add_final(c, (struct call){.op = 1});
}

static const char *printed(const struct history *h) {
  static struct buf b;
  buf_clear(&b);
  history_file_print(h, "map", &names, &b);
  return buf_text(&b);
}

TEST(a_history_is_one_event_a_line) {
  struct client c;
  example(&c);
  struct hop ops[] = {{1, 2, value_void()},
                      {3, 5, value_int(-4)},
                      {2, HISTORY_PENDING, value_void()},
                      {HISTORY_PENDING, HISTORY_PENDING, value_void()}};
  struct history h = {&c, ops, false};
  CHECK_STR(printed(&h),
            "{\"type\":\"history\",\"version\":1,\"object\":\"map\","
            "\"threads\":2,\"operations\":4}\n"
            "{\"type\":\"call\",\"op\":0,\"thread\":1,\"name\":\"put\","
            "\"args\":[7,-1],\"time\":1}\n"
            "{\"type\":\"call\",\"op\":2,\"thread\":2,\"name\":\"get\","
            "\"args\":[],\"time\":2}\n"
            "{\"type\":\"return\",\"op\":0,\"thread\":1,\"time\":2}\n"
            "{\"type\":\"call\",\"op\":1,\"thread\":1,\"name\":\"get\","
            "\"args\":[],\"time\":3}\n"
            "{\"type\":\"return\",\"op\":1,\"thread\":1,\"result\":-4,"
            "\"time\":5}\n");
  client_free(&c);
}

TEST(every_kind_of_result_has_its_form) {
  struct client c;
  example(&c);
  struct hop ops[] = {{1, 2, value_bool(true)},
                      {3, 4, value_uint(UINT64_MAX)},
                      {1, 2, value_string("a \"b\"\n")},
                      {5, 6, value_null()}};
  struct history h = {&c, ops, true};
  const char *text = printed(&h);
  CHECK_HAS(text, "\"stuck\":true");
  CHECK_HAS(text, "\"result\":true,");
  CHECK_HAS(text, "\"result\":18446744073709551615,");
  CHECK_HAS(text, "\"result\":\"a \\\"b\\\"\\n\",");
  CHECK_HAS(text, "\"result\":null,");
  ops[3].result = value_address(0x2a);
  CHECK_HAS(printed(&h), "\"result\":{\"pointer\":\"0x2a\"},");
  ops[3].result = value_string(NULL);
  CHECK_HAS(printed(&h), "\"result\":null,");
  client_free(&c);
}

/* Where each operation's call and return stand in the text, by line number. */
static uint32_t read_back(const char *text, uint32_t *call, uint32_t *ret) {
  uint32_t line = 0;
  while (*text) {
    const char *end = strchr(text, '\n');
    if (!CHECK(end))
      break;
    const struct json_node *o = json_parsed(text, (size_t)(end - text));
    if (!CHECK(o))
      break;
    const char *type = json_text_of(json_get(o, "type"));
    int64_t op = json_number_of(json_get(o, "op"));
    if (type && !strcmp(type, "call"))
      call[op] = line;
    if (type && !strcmp(type, "return"))
      ret[op] = line;
    line++;
    text = end + 1;
  }
  return line;
}

TEST(the_order_of_the_lines_is_the_order_of_time) {
  enum { CALLS = 40, THREADS = 4 };
  for (uint64_t seed = 1; seed <= 50; seed++) {
    struct rng rng = {seed};
    struct client c = {0};
    struct hop ops[CALLS];
    uint32_t events = 0;
    for (uint32_t i = 0, now = 0; i < CALLS; i++) {
      if (i % (CALLS / THREADS) == 0)
        now = 0;
      client_add(&c, 1 + i / (CALLS / THREADS), (struct call){.op = 1});
      uint32_t call = now + 1 + (uint32_t)rng_below(&rng, 3);
      now = call + (uint32_t)rng_below(&rng, 4);
      bool last = (i + 1) % (CALLS / THREADS) == 0;
      ops[i] =
          (struct hop){call, last && rng_below(&rng, 2) ? HISTORY_PENDING : now,
                       value_int(i)};
      events += 1 + !hop_pending(&ops[i]);
    }
    struct history h = {&c, ops, false};
    history_check_invariants(&h);
    uint32_t call[CALLS], ret[CALLS];
    for (uint32_t i = 0; i < CALLS; i++)
      call[i] = ret[i] = UINT32_MAX;
    CHECK_INT(read_back(printed(&h), call, ret), 1 + events);
    for (uint32_t a = 0; a < CALLS; a++)
      for (uint32_t b = 0; b < CALLS; b++)
        if (!CHECK_INT(ret[a] < call[b], hop_before(&ops[a], &ops[b])))
          fprintf(stderr, "seed %llu, %u and %u\n", (unsigned long long)seed, a,
                  b);
    client_free(&c);
  }
}

TEST(a_file_that_cannot_be_written_is_named) {
  struct client c;
  example(&c);
  struct hop ops[4] = {0};
  struct history h = {&c, ops, false};
  struct error e = {0};
  int err = history_file_write(&h, "map", &names, "/nowhere/h.jsonl", &e);
  CHECK(err != ERR_NONE);
  CHECK_INT(err, e.code);
  CHECK_HAS(e.text, "/nowhere");
  client_free(&c);
}

TEST_MAIN
