#include "base/text.h"

#include "base/opt.h"
#include "test.h"

TEST(a_text_begins_with_each_of_its_prefixes) {
  CHECK(begins("pop", ""));
  CHECK(begins("pop", "po"));
  CHECK(begins("pop", "pop"));
  CHECK(!begins("pop", "pops"));
  CHECK(!begins("", "p"));
}

TEST(a_text_ends_with_each_of_its_suffixes) {
  CHECK(ends("stack.c", ""));
  CHECK(ends("stack.c", ".c"));
  CHECK(ends(".c", ".c"));
  CHECK(!ends("c", ".c"));
  CHECK(!ends("stack.c", ".h"));
}

TEST(the_base_name_follows_the_last_slash) {
  CHECK_STR(base_name("a/b/stack.c"), "stack.c");
  CHECK_STR(base_name("stack.c"), "stack.c");
  CHECK_STR(base_name("a/"), "a/");
}

TEST(only_a_word_that_needs_it_is_quoted_for_the_shell) {
  struct buf b = {0};
  put_shell_word(&b, "--cc=gcc-12");
  CHECK_STR(buf_text(&b), "--cc=gcc-12");
  buf_clear(&b);
  put_shell_word(&b, "");
  CHECK_STR(buf_text(&b), "''");
  buf_clear(&b);
  put_shell_word(&b, "it's $HOME");
  CHECK_STR(buf_text(&b), "'it'\\''s $HOME'");
  buf_free(&b);
}

TEST(thousands_are_set_apart) {
  struct buf b = {0};
  put_number(&b, 0);
  buf_putc(&b, 32);
  put_number(&b, 852);
  buf_putc(&b, 32);
  put_number(&b, 1234567);
  CHECK_STR(buf_text(&b), "0 852 1,234,567");
  buf_free(&b);
}

TEST(large_counts_are_two_digits_and_a_power_of_ten) {
  static const struct {
    uint64_t n;
    const char *text;
  } cases[] = {{999999, "999,999"},      {1000000, "1.0·10^6"},
               {1949999, "1.9·10^6"},    {1950000, "2.0·10^6"},
               {9960000, "1.0·10^7"},    {2990906168781152, "3.0·10^15"},
               {UINT64_MAX, "1.8·10^19"}};
  struct buf b = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    buf_clear(&b);
    put_rough_number(&b, cases[i].n);
    CHECK_STR(buf_text(&b), cases[i].text);
  }
  buf_free(&b);
}

TEST(a_star_fits_any_text) {
  static const struct {
    const char *s, *pattern;
    bool fits;
  } cases[] = {{"d[0]", "d[0]", true},
               {"d[0]", "d[*]", true},
               {"d[0]", "d", false},
               {"d[0]", "d[0]x", false},
               {"node#1.next", "*.next", true},
               {"node#1.next.next", "*.next", true},
               {"node#1.prev", "*.next", false},
               {"", "*", true},
               {"", "", true},
               {"aab", "a*ab", true},
               {"ab", "a*ab", false},
               {"abcbd", "*b*d", true},
               {"abc", "**", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_INT(fits(cases[i].s, cases[i].pattern), cases[i].fits);
}

TEST(quotes_and_backslashes_are_escaped) {
  struct buf b = {0};
  put_escaped(&b, "a \"b\" \\ c");
  CHECK_STR(buf_text(&b), "a \\\"b\\\" \\\\ c");
  buf_free(&b);
}

TEST_MAIN
