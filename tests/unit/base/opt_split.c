/* Options in one text, as a shell would split it. */
#include "base/opt.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* The words with | between them, or the error. */
static const char *split(const char *text) {
  static char out[200];
  struct opt_words words = {0};
  struct error e = {0};
  out[0] = '\0';
  if (opt_split(text, &words, &e))
    snprintf(out, sizeof out, "error: %.100s", e.text);
  for (uint32_t i = 0; i < words.len; i++) {
    if (!e.code) {
      strcat(out, i ? "|" : "");
      strcat(out, words.at[i]);
    }
    free((char *)(uintptr_t)words.at[i]);
  }
  vec_free(&words);
  return out;
}

TEST(words_are_separated_by_blanks) {
  CHECK_STR(split(""), "");
  CHECK_STR(split("  \t\n "), "");
  CHECK_STR(split("--time 60\t-j 2 "), "--time|60|-j|2");
}

TEST(quotes_keep_blanks_together) {
  CHECK_STR(split("--client='{a()} || {b()}' x"), "--client={a()} || {b()}|x");
  CHECK_STR(split("a\"b c\"'d e'"), "ab cd e");
  CHECK_STR(split("'' x"), "|x");
}

TEST(a_backslash_takes_the_next_character) {
  CHECK_STR(split("a\\ b \\'c \"\\\"\" '\\'"), "a b|'c|\"|\\");
}

TEST(a_quote_that_does_not_end_is_an_error) {
  CHECK_STR(split("a 'b c"), "error: a quote does not end");
  CHECK_STR(split("\"a\\\""), "error: a quote does not end");
}

TEST_MAIN
