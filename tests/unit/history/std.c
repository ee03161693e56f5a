/* STD traces of the RAPID tools. */
#include "history/read/std.h"
#include "base/buf.h"
#include "test.h"

static struct error last;

/* The kinds as letters, or NULL and the error in `last`. */
static const char *kinds(const char *text) {
  static char out[100];
  struct std_event ev;
  size_t n = 0;
  last = (struct error){0};
  size_t chunk = strlen(text) > 60 ? 1000 : 5; /* long ones at once */
  struct std_reader *r = std_of_text(text, strlen(text), chunk, "t.std", &last);
  int got = -1;
  while (r && (got = std_next(r, &ev, &last)) > 0)
    out[n++] = "rwlfc+-<>"[ev.kind];
  out[n] = 0;
  std_close(r);
  return got < 0 ? NULL : out;
}

static const char *error_of(const char *text) {
  CHECK(!kinds(text));
  return last.text;
}

TEST(every_operation) {
  CHECK_STR(kinds("T0|begin|1\nT0|r(x)|2\nT0|w(x)|3\nT0|acq(l)|4\n"
                  "T0|rel(l)|5\nT0|end|6\nT0|fork(T1)|7\nT1|r(x)|8\n"
                  "T0|join(T1)|9\n"),
            "<rwll>+r-");
}

TEST(names_have_numbers) {
  const char *text = "T0|r(x)|\nT1|w(x)\nT0|acq(x)|F.c:7\n";
  struct error e = {0};
  struct std_event ev;
  struct std_reader *r = std_of_text(text, strlen(text), 1000, "t.std", &e);
  CHECK_INT(std_next(r, &ev, &e), 1);
  CHECK_INT(ev.object, 0);
  CHECK_INT(std_next(r, &ev, &e), 1);
  CHECK_INT(ev.object, 0);
  CHECK_STR(std_thread_name(r, ev.thread), "T1");
  CHECK_INT(std_next(r, &ev, &e), 1);
  CHECK_INT(ev.object, 1); /* a lock is no variable of the same name */
  CHECK_INT((long long)ev.line, 3);
  CHECK_INT((long long)ev.place_len, 5);
  CHECK_INT(std_next(r, &ev, &e), 0);
  std_close(r);
}

/* The same as lines that are read 32 bytes at a time, and as others: long
 * names, ends of lines with \r, bytes in small pieces. */
TEST(transactions_begin) {
  static const char *const texts[] = {
      "T|r(x)|1\nT|begin|2\nT|begin|3\nT|w(x)|4\nT|end|5\nT|end|6\n"
      "U|w(x)|7\nT|acq(l)|8\n",
      "thread number one|r(x)|1\nthread number one|begin|2\r\n"
      "thread number one|begin|3\nthread number one|w(x)|4\r\n"
      "thread number one|end|5\nthread number one|end\r\nU|w(x)\r\n"
      "thread number one|acq(a lock)|8\n"};
  for (int i = 0; i < 2; i++)
    for (size_t chunk = 1; chunk <= 1000; chunk += 37) {
      struct error e = {0};
      struct std_event ev;
      char opens[20];
      uint32_t n = 0;
      struct std_reader *r =
          std_of_text(texts[i], strlen(texts[i]), chunk, "t.std", &e);
      while (std_next(r, &ev, &e) > 0)
        opens[n++] = ev.opens ? '1' : '0';
      opens[n] = 0;
      CHECK_STR(opens, "11000011");
      std_close(r);
    }
}

/* Garbage behind what was read before. */
TEST(usual_lines_are_checked_too) {
  CHECK_STR(
      error_of("T0|r(V1)|1\nT0|r(V1)x|2\nT0|r(V1)|12345678901234567890\n"),
      "t.std:2: expected | after the operation");
  CHECK_STR(error_of("T0|r(V1)|1\nT0|r()|2\nT0|r(V1)|12345678901234567890\n"),
            "t.std:2: expected r(…), w(…), acq(…), rel(…), fork(…), join(…), "
            "begin or end");
  CHECK_STR(error_of("T0|w(V1)|1\nT0|end|2\nT0|w(V1)|12345678901234567890\n"),
            "t.std:2: end without begin in thread T0");
  CHECK_STR(error_of("T0|w(V1)|1\nT0|rel(l)|2\nT0|w(V1)|123456789012345678\n"),
            "t.std:2: releases lock l, which nobody holds");
  CHECK_STR(error_of("T0|fork(T1)|1\nT1|w(V1)|2\nT0|join(T1)|3\nT1|w(V1)|4\n"
                     "T1|w(V1)|12345678901234567890\n"),
            "t.std:4: thread T1 goes on after it was joined in line 3");
}

TEST(what_cannot_be_is_refused) {
  CHECK_STR(error_of("T0|r(x)|1\nT0|end|2\n"),
            "t.std:2: end without begin in thread T0");
  CHECK_STR(error_of("T0|r(x)|1\nT0|begin|2\nT0|r(x)|3\n"),
            "t.std:2: begin without end in thread T0");
  CHECK_STR(error_of("T0|join(T7)|1\n"),
            "t.std:1: join of an unknown thread T7");
  CHECK_STR(error_of("T0|fork(T1)|1\nT1|r(x)\nT0|join(T1)|2\nT1|r(x)|3\n"),
            "t.std:4: thread T1 goes on after it was joined in line 3");
  CHECK_STR(error_of("T1|r(x)|1\nT0|fork(T1)|2\n"),
            "t.std:2: fork of thread T1, which runs already");
  CHECK_STR(error_of("T0|acq(l)|1\nT1|acq(l)|2\n"),
            "t.std:2: acquires lock l, which thread T0 holds");
  CHECK_STR(error_of("T0|rel(l)|1\n"),
            "t.std:1: releases lock l, which nobody holds");
  CHECK_STR(error_of("T0 r(x)\n"), "t.std:1: expected THREAD|OPERATION|PLACE");
  CHECK_STR(error_of("T0|frob(x)|1\n"), "t.std:1: unknown operation \"frob\"");
  CHECK_STR(error_of("T0|r(x|1\n"), "t.std:1: expected )");
}

TEST_MAIN
