/* Text for a terminal: harmless, and as wide as it says. */
#include "report/cell.h"
#include "test.h"

#include <stdlib.h>

static const char *clean(const char *s, bool utf8) {
  static struct buf b;
  buf_clear(&b);
  cell_clean(s, utf8, &b);
  return buf_text(&b);
}

static const char *fitted(const char *s, size_t width, bool middle, bool utf8) {
  static struct buf b;
  buf_clear(&b);
  if (middle)
    cell_fit_middle(s, width, utf8, &b);
  else
    cell_fit(s, width, utf8, &b);
  return buf_text(&b);
}

TEST(controls_are_escaped) {
  CHECK_STR(clean("a\033[31mb\n\tc\177", true), "a\\x1b[31mb\\n\\tc\\x7f");
  CHECK_STR(clean("\xc2\x9b", true), "\\u009b"); /* C1: also an escape */
}

TEST(direction_cannot_be_turned) {
  CHECK_STR(clean("a\xe2\x80\xae"
                  "b",
                  true),
            "a\\u202eb");
}

TEST(what_is_not_utf8_is_shown_as_bytes) {
  CHECK_STR(clean("\xff\xc3(\xc0\x80", true), "\\xff\\xc3(\\xc0\\x80");
  CHECK_STR(clean("\xed\xa0\x80", true), "\\xed\\xa0\\x80"); /* surrogate */
  CHECK_STR(clean("\xc3", true), "\\xc3");
}

TEST(utf8_stays_only_when_allowed) {
  CHECK_STR(clean("é", true), "é");
  CHECK_STR(clean("é", false), "\\u00e9");
}

TEST(width_counts_columns) {
  CHECK_INT((int)cell_width("abc"), 3);
  CHECK_INT((int)cell_width("é…"), 2);
  CHECK_INT((int)cell_width("漢字"), 4);
  CHECK_INT((int)cell_width("e\xcc\x81"), 1); /* combining accent */
}

TEST(long_text_is_cut_at_its_end_or_middle) {
  CHECK_STR(fitted("abcdef", 6, false, true), "abcdef");
  CHECK_STR(fitted("abcdefg", 6, false, true), "abcde…");
  CHECK_STR(fitted("abcdefg", 6, false, false), "abc...");
  CHECK_STR(fitted("abcdefghij", 7, true, true), "abc…hij");
  CHECK_STR(fitted("abcdefghij", 2, true, false), "ab");
}

TEST(no_cut_is_wider_than_asked_for) {
  const char *s = "a漢é字b漢c字dé漢字";
  for (size_t w = 0; w < 20; w++)
    for (int middle = 0; middle < 2; middle++)
      for (int utf8 = 0; utf8 < 2; utf8++)
        CHECK(cell_width(fitted(s, w, middle, utf8)) <= w);
}

TEST_MAIN
