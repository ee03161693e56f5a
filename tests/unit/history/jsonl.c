#include "reading.h"

#include "base/rng.h"

#include <errno.h>

TEST(calls_and_returns_become_operations) {
  READS("{\"type\":\"history\",\"version\":1,\"spec\":\"queue\","
        "\"argument\":5}\n"
        "{\"type\":\"call\",\"process\":1,\"name\":\"enq\",\"args\":[7]}\n"
        "{\"type\":\"call\",\"process\":2,\"name\":\"deq\",\"args\":[]}\n"
        "{\"type\":\"return\",\"process\":1}\n"
        "{\"type\":\"return\",\"process\":2,\"result\":7}\n",
        "<queue 5> 1 enq(7) 0-2; 2 deq() = 7 1-3; ");
}

/* As src/model/history_file.c writes them. */
TEST(histories_of_real_threads_are_read) {
  READS("{\"type\":\"history\",\"version\":1,\"object\":\"counter\","
        "\"threads\":2,\"operations\":4}\n"
        "{\"type\":\"call\",\"op\":0,\"thread\":1,\"name\":\"add\","
        "\"args\":[5],\"time\":1}\n"
        "{\"type\":\"call\",\"op\":1,\"thread\":2,\"name\":\"add\","
        "\"args\":[3],\"time\":1}\n"
        "{\"type\":\"return\",\"op\":0,\"thread\":1,\"time\":2}\n"
        "{\"type\":\"return\",\"op\":1,\"thread\":2,"
        "\"result\":{\"pointer\":\"&block 0\"},\"time\":3}\n"
        "{\"type\":\"call\",\"op\":3,\"thread\":0,\"name\":\"get\","
        "\"args\":[],\"time\":6}\n",
        "1 add(5) 0-2; 2 add(3) = &block 0 1-3; 0 get() 4-; ");
}

TEST(order_and_spaces_of_fields_do_not_matter) {
  READS(" { \"args\" : [ 1 , 2 ] , \"other\": {\"a\": [1, {}]}, \"order\": 4,"
        "\t\"name\" :\"cas\",\"process\": 0 , \"type\" : \"call\" } \r\n\n"
        "{\"result\":true,\"process\":0,\"order\":5,\"type\":\"return\"}",
        "0 cas(1, 2) = true #5 0-1; ");
}

TEST(values_of_all_kinds_are_read) {
  READS("{\"type\":\"call\",\"process\":0,\"name\":\"f\",\"args\":[-3,"
        "9223372036854775807,-9223372036854775808,18446744073709551615,1.50,"
        "-2e+9,\"a\\u00e9\\n\\ud83d\\ude00\",null,true,false,[],{},[[1]],"
        "{\"b\":1,\"a\":2},{\"symbol\":\"EMPTY\"},{\"map\":[[1,2],[0,3]]}]}",
        "0 f(-3, 9223372036854775807, -9223372036854775808, "
        "18446744073709551615, 1.50, -2e+9, \"a\xc3\xa9\\n\xf0\x9f\x98\x80\", "
        "nil, true, false, [], {}, [[1]], {\"a\": 2, \"b\": 1}, EMPTY, "
        "{0: 3, 1: 2}) 0-; ");
}

TEST(fail_drop_info_and_notes_are_understood) {
  READS("{\"type\":\"call\",\"process\":0,\"name\":\"cas\",\"args\":[1,2]}\n"
        "{\"type\":\"note\",\"text\":\"start-kill n1\"}\n"
        "{\"type\":\"fail\",\"process\":0}\n"
        "{\"type\":\"call\",\"process\":0,\"name\":\"write\",\"args\":[1]}\n"
        "{\"type\":\"drop\",\"process\":0}\n"
        "{\"type\":\"note\",\"text\":\"stop-kill\"}\n"
        "{\"type\":\"call\",\"process\":0,\"name\":\"write\",\"args\":[2]}\n"
        "{\"type\":\"info\",\"process\":0}\n",
        "0 cas(1, 2) failed 0-2; 0 write(2) 5-; 'start-kill n1' 1-4; ");
}

TEST(several_histories_stand_in_one_file) {
  READS("{\"type\":\"history\"}\n"
        "{\"type\":\"call\",\"op\":0,\"process\":0,\"name\":\"a\"}\n"
        "{\"type\":\"history\",\"spec\":\"set\"}\n"
        "{\"type\":\"call\",\"op\":0,\"process\":0,\"name\":\"b\"}\n"
        "{\"type\":\"return\",\"op\":0,\"process\":0}\n"
        "{\"type\":\"history\"}\n",
        "0 a() 0-; | <set> 0 b() 0-1; | ");
}

TEST(jepsen_words_are_understood) {
  READS("[{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":3},\n"
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"read\",\"value\":null},\n"
        "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"start\"},"
        "{\n\"process\":0,\n\"type\":\"ok\",\"f\":\"write\",\"value\":3},\n"
        "{\"process\":1,\"type\":\"ok\",\"f\":\"read\",\"value\":3}, "
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"write\",\"value\":4},"
        "{\"process\":1,\"type\":\"fail\",\"f\":\"write\",\"value\":4}]\n",
        "0 write(3) 0-3; 1 read() = 3 1-4; 'start' 2-; ");
}

TEST(an_operation_without_a_process_is_its_own) {
  READS("{\"type\":\"call\",\"op\":7,\"name\":\"a\"}\n"
        "{\"type\":\"call\",\"op\":8,\"name\":\"b\"}\n"
        "{\"type\":\"return\",\"op\":7}\n{\"type\":\"return\",\"op\":8}\n",
        "7 a() 0-2; 8 b() 1-3; ");
}

#define CALL "{\"type\":\"call\",\"process\":1,\"op\":4,\"name\":\"a\"}\n"

TEST(what_is_malformed_is_said_with_its_place) {
  READS_AS(READ_JSONL, CALL "{\"type\":\"return\",\"process\":1\n" CALL,
           "x:2:29: expected , or }");
  READS_AS(READ_JSONL, CALL "  oops", "x:2:3: expected { of an event");
  READS_AS(READ_JSONL, "{\"type\":\"calls\"}",
           "x:1:9: expected the type call, return, fail, drop, info, note or "
           "history");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"process\":-1}",
           "x:1:26: expected a process number below 2^32 - 1");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"process\":1.5}",
           "x:1:27: expected , or }");
  READS_AS(READ_JSONL, "{\"process\":1}",
           "x:1:1: expected a \"type\" in this object");
  READS_AS(READ_JSONL, "\n {\"type\":\"call\",\"process\":1}",
           "x:2:2: expected a \"name\" in this call");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"name\":\"a\"}",
           "x:1:1: expected a \"process\" in this event");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"name\":\"\"}",
           "x:1:23: expected the name of an operation");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":3}",
           "x:1:23: expected the arguments in [ ]");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[1.]}",
           "x:1:26: expected a number");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[\"\xff\"]}",
           "x:1:25: expected UTF-8");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[\"a\0b\"]}",
           "x:1:26: expected \" before the control character 0x00, but there "
           "is a NUL byte");
  READS_AS(READ_JSONL, "{\"type\":\"call\"\0}",
           "x:1:15: expected , or }, but there is a NUL byte");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[\"\\x\"]}",
           "x:1:26: expected an escape that is known");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[\"\\ud800\"]}",
           "x:1:31: expected the second half of a surrogate pair");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[tru]}",
           "x:1:27: expected true");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"args\":[",
           "x:1:24: expected a value, but the file ends here");
  READS_AS(READ_JSONL, "{\"type\":\"call\",\"na",
           "x:1:19: expected \" at the end of the text, but the file ends "
           "here");
  READS_AS(READ_JSONL, "{\"type\":\"history\",\"version\":2}",
           "x:1:1: expected version 1 of the format");
  READS_AS(READ_JSONL, "[" CALL,
           "x:2:1: expected ] before the end of the "
           "file, but the file ends here");
  READS_AS(READ_JSONL, "{\"type\":\"note\"}",
           "x:1:1: expected a \"text\" in this note");
  READS_AS(READ_JSONL, " \n ", "x: the file is empty");
}

TEST(what_cannot_be_is_said_with_its_place) {
  READS_AS(READ_JSONL, CALL CALL,
           "x:2:1: process 1 calls a before its a of line 1 has returned");
  READS_AS(READ_JSONL, "{\"type\":\"return\",\"process\":3}",
           "x:1:1: process 3 returns, but has not called");
  READS_AS(READ_JSONL, "{\"type\":\"return\",\"process\":3,\"name\":\"b\"}",
           "x:1:1: process 3 returns from b, but has not called");
  READS_AS(READ_JSONL, CALL "{\"type\":\"return\",\"process\":1,\"op\":5}",
           "x:2:1: process 1 returns from operation 5, but has called "
           "operation 4 in line 1");
  READS_AS(READ_JSONL,
           CALL "{\"type\":\"return\",\"process\":1,\"name\":\"b\"}",
           "x:2:1: process 1 returns from b, but has called a in line 1");
  READS_AS(READ_JSONL, CALL "{\"type\":\"return\",\"process\":1}\n" CALL,
           "x:3:1: operation 4 is called a second time");
  READS_AS(READ_JSONL, CALL "{\"type\":\"info\",\"process\":1}\n" CALL,
           "x:3:1: process 1 calls a, but its a of line 1 never returns: a "
           "process that goes on after that needs a new number");
  READS_AS(READ_JSONL,
           "{\"type\":\"call\",\"process\":1,\"name\":\"a\",\"time\":5}\n"
           " {\"type\":\"return\",\"process\":1,\"time\":4}\n",
           "x:2:2: time 4 comes after time 5: events must be in the "
           "order of time");
}

TEST(nesting_has_a_bound) {
  struct buf b = {0};
  buf_puts(&b, "{\"type\":\"call\",\"process\":1,\"name\":\"a\",\"args\":");
  size_t begin = b.len;
  for (int i = 0; i < 100000; i++)
    buf_putc(&b, '[');
  char want[100];
  snprintf(want, sizeof want, "x:1:%zu: expected at most 400 nested values",
           begin + 400); /* and the object */
  CHECK_STR(read_chunks(b.at, b.len, SIZE_MAX, READ_AUTO), want);
  buf_free(&b);
}

TEST(long_lines_and_many_processes_are_fine) {
  enum { N = 10000 };
  struct buf b = {0};
  for (int i = 0; i < N; i++)
    buf_printf(&b, "{\"type\":\"call\",\"process\":%d,\"name\":\"inc\"}\n",
               i * 1000);
  for (int i = 0; i < N; i++)
    buf_printf(&b, "{\"type\":\"return\",\"process\":%d}\n", i * 1000);
  buf_puts(&b, "{\"type\":\"call\",\"process\":0,\"name\":\"w\",\"args\":[\"");
  for (int i = 0; i < 3000000; i++)
    buf_putc(&b, 'x');
  buf_puts(&b, "\"]}\n");
  struct error e = {0};
  struct reader *r = reader_of_text(b.at, b.len, "x", READ_AUTO, &e);
  struct log l;
  CHECK_INT(reader_log(r, &l, &e), 1);
  CHECK_INT(l.ops.len, N + 1);
  CHECK_INT(l.nprocesses, N);
  CHECK_INT(datum_box(l.ops.at[N].arg[0])->len, 3000000);
  CHECK_INT(l.ops.at[N].line, 2 * N + 1);
  log_free(&l);
  CHECK_INT(reader_log(r, &l, &e), 0);
  reader_close(r);
  buf_free(&b);
}

TEST(too_many_names_are_refused) {
  struct buf b = {0};
  for (int i = 0; i < 5000; i++)
    buf_printf(&b, "{\"type\":\"call\",\"process\":%d,\"name\":\"n%d\"}\n", i,
               i);
  CHECK_STR(read_chunks(b.at, b.len, SIZE_MAX, READ_AUTO),
            "x:4001:38: expected at most 4000 different operations");
  buf_free(&b);
}

/* Numbers of all lengths against the library's. */
TEST(integers_are_what_strtoll_says) {
  struct rng rng = {3};
  for (int i = 0; i < 200000; i++) {
    char text[64];
    int len = 0, digits = 1 + (int)rng_below(&rng, 22);
    if (rng_below(&rng, 2))
      text[len++] = '-';
    for (int d = 0; d < digits; d++)
      text[len++] = (char)('0' + rng_below(&rng, 10));
    static const char behind[] = ",}] .e\n/:x\xff";
    text[len] = behind[rng_below(&rng, sizeof behind)];
    memset(text + len + 1, (int)rng_below(&rng, 256), sizeof text - len - 1);
    char *end;
    char copy[64];
    memcpy(copy, text, sizeof copy);
    copy[len] = 0;
    errno = 0;
    int64_t want = strtoll(copy, &end, 10), have;
    const char *p = text;
    bool fits = errno == 0;
    if (!CHECK_INT(read_int(&p, &have), fits) ||
        (fits && (!CHECK(have == want) || !CHECK_INT(p - text, len)))) {
      fprintf(stderr, "%s\n", copy);
      return;
    }
  }
}

TEST_MAIN
