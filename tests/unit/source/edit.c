/* Changes of texts, and the differences that tell them. */
#include "test.h"

#include "base/rng.h"
#include "source/edit.h"

#include <stdlib.h>

static struct edits edits;
static struct buf now, diff;

static void begin(void) {
  edits_free(&edits);
  buf_clear(&now);
  buf_clear(&diff);
}

static void finish(const char *text) {
  edits_apply(&edits, text, strlen(text), &now);
  edits_diff(&edits, text, strlen(text), "x.c", &diff);
}

TEST(lines_are_put_and_cut_whole) {
  static const char text[] = "1\n2\n3\n4\n5\n6\n";
  begin();
  CHECK(edits_add(&edits, 8, 2, ""));    /* line 5 */
  CHECK(edits_add(&edits, 2, 0, "a\n")); /* before line 2 */
  finish(text);
  CHECK_STR(buf_text(&now), "1\na\n2\n3\n4\n6\n");
  CHECK_STR(buf_text(&diff), "--- a/x.c\n"
                             "+++ b/x.c\n"
                             "@@ -1,6 +1,6 @@\n"
                             " 1\n"
                             "+a\n"
                             " 2\n"
                             " 3\n"
                             " 4\n"
                             "-5\n"
                             " 6\n");
}

TEST(a_file_without_a_newline_at_its_end) {
  begin();
  CHECK(edits_add(&edits, 3, 0, ";"));
  finish("a\nb");
  CHECK_STR(buf_text(&diff), "--- a/x.c\n"
                             "+++ b/x.c\n"
                             "@@ -1,2 +1,2 @@\n"
                             " a\n"
                             "-b\n"
                             "\\ No newline at end of file\n"
                             "+b;\n"
                             "\\ No newline at end of file\n");
  begin();
  CHECK(edits_add(&edits, 0, 0, "x\n"));
  finish("b");
  CHECK_STR(buf_text(&diff), "--- a/x.c\n"
                             "+++ b/x.c\n"
                             "@@ -1,1 +1,2 @@\n"
                             "+x\n"
                             " b\n"
                             "\\ No newline at end of file\n");
}

TEST(nothing_changes_nothing) {
  begin();
  finish("a\n");
  CHECK_STR(buf_text(&now), "a\n");
  CHECK_STR(buf_text(&diff), "");
}

TEST(changes_do_not_overlap) {
  begin();
  CHECK(edits_add(&edits, 2, 4, "x"));
  CHECK(!edits_add(&edits, 3, 0, "y"));
  CHECK(!edits_add(&edits, 0, 3, "y"));
  CHECK(!edits_add(&edits, 2, 1, "y"));
  CHECK(edits_add(&edits, 2, 0, "y")); /* before the cut */
  CHECK(edits_add(&edits, 6, 0, "z"));
  finish("0123456789");
  CHECK_STR(buf_text(&now), "01yxz6789");
}

/* ---- the difference is applied as its format says ---- */

/* Puts the line at *p, without its mark, and goes behind it. */
static void take_line(const char **p, struct buf *out) {
  const char *end = strchr(*p, '\n');
  buf_put(out, *p + 1, (size_t)(end - *p));
  *p = end + 1;
  static const char none[] = "\\ No newline at end of file\n";
  if (!strncmp(*p, none, strlen(none))) {
    out->len--;
    out->at[out->len] = 0;
    *p += strlen(none);
  }
}

static const char *nth_line(const char *text, unsigned n) {
  for (; n && *text; text++)
    n -= *text == '\n';
  return text;
}

/* The text with the hunks; checks that what they say was there is. */
static void apply_diff(const char *text, const char *d, struct buf *out) {
  const char *at = text;
  d = nth_line(d, *d ? 2 : 0);
  while (*d) {
    unsigned first, old, to, new;
    struct buf was = {0}, is = {0};
    if (!CHECK_INT(sscanf(d, "@@ -%u,%u +%u,%u @@", &first, &old, &to, &new),
                   4))
      return;
    const char *start = nth_line(text, old ? first - 1 : first);
    CHECK(start >= at);
    buf_put(out, at, (size_t)(start - at));
    unsigned before = 0;
    for (size_t i = 0; i < out->len; i++)
      before += out->at[i] == '\n';
    CHECK_INT(before, new ? to - 1 : to);
    d = nth_line(d, 1);
    while (*d == ' ' || *d == '-' || *d == '+') {
      char mark = *d;
      struct buf line = {0};
      old -= mark != '+';
      new -= mark != '-';
      take_line(&d, &line);
      if (mark != '+')
        buf_put(&was, line.at, line.len);
      if (mark != '-')
        buf_put(&is, line.at, line.len);
      buf_free(&line);
    }
    CHECK_INT(old, 0);
    CHECK_INT(new, 0);
    CHECK(!strncmp(start, buf_text(&was), was.len));
    at = start + was.len;
    buf_put(out, buf_text(&is), is.len);
    buf_free(&was);
    buf_free(&is);
  }
  buf_puts(out, at);
}

static void random_text(struct rng *r, unsigned most, char *out) {
  static const char letters[] = "ab\n\n \r";
  unsigned n = (unsigned)rng_below(r, most + 1), i = 0;
  for (; i < n; i++)
    out[i] = letters[rng_below(r, sizeof letters - 1)];
  out[i] = 0;
}

TEST(what_the_difference_makes_is_the_new_text) {
  struct rng r = {20261116};
  for (unsigned round = 0; round < 20000; round++) {
    char text[80], put[8];
    struct buf again = {0};
    begin();
    random_text(&r, sizeof text - 1, text);
    for (uint64_t k = rng_below(&r, 5); k; k--) {
      size_t at = rng_below(&r, strlen(text) + 1);
      size_t cut = rng_below(&r, 3) ? 0 : rng_below(&r, strlen(text) - at + 1);
      random_text(&r, 6, put);
      if (cut || *put)
        edits_add(&edits, at, cut, put);
    }
    finish(text);
    apply_diff(text, buf_text(&diff), &again);
    if (!CHECK_STR(buf_text(&again), buf_text(&now))) {
      fprintf(stderr, "round %u, text \"%s\"\n%s\n", round, text,
              buf_text(&diff));
      return;
    }
    buf_free(&again);
  }
}

TEST_MAIN
