#include "base/json.h"
#include "json_test.h"
#include "test.h"

#include <math.h>

TEST(indents_by_itself) {
  struct buf b = {0};
  struct json j = {.out = &b};
  json_object(&j, NULL);
  json_string(&j, "a", "x");
  json_array(&j, "b");
  json_int(&j, NULL, -1);
  json_object(&j, NULL);
  json_end_object(&j);
  json_array(&j, NULL);
  json_end_array(&j);
  json_end_array(&j);
  json_bool(&j, "c", true);
  json_end_object(&j);
  CHECK_STR(buf_text(&b), "{\n"
                          "  \"a\": \"x\",\n"
                          "  \"b\": [\n"
                          "    -1,\n"
                          "    {},\n"
                          "    []\n"
                          "  ],\n"
                          "  \"c\": true\n"
                          "}\n");
  buf_free(&b);
}

TEST(compact_is_one_line) {
  struct buf b = {0};
  struct json j = {.out = &b, .compact = true};
  json_object(&j, NULL);
  json_null(&j, "n");
  json_array(&j, "l");
  json_bool(&j, NULL, false);
  json_string(&j, NULL, NULL);
  json_end_array(&j);
  json_end_object(&j);
  CHECK_STR(buf_text(&b), "{\"n\":null,\"l\":[false,null]}");
  buf_free(&b);
}

/* What was written, read again. */
static const struct json_node *round_trip(struct buf *b) {
  const struct json_node *root = json_parsed(buf_text(b), b->len);
  if (!root)
    fprintf(stderr, "in %s\n", buf_text(b));
  CHECK(root);
  return root;
}

static void check_string(const char *in, const char *want) {
  struct buf b = {0};
  struct json j = {.out = &b};
  json_array(&j, NULL);
  json_string(&j, NULL, in);
  json_end_array(&j);
  const struct json_node *root = round_trip(&b);
  CHECK_STR(json_text_of(json_at(root, 0)), want);
  buf_free(&b);
}

TEST(escapes_what_must_be) {
  check_string("a\"b\\c/d\n\t\r\b\f\x01\x1f\x7f",
               "a\"b\\c/d\n\t\r\b\f\x01\x1f\x7f");
  check_string("", "");
  check_string("é → 😀", "é → 😀");
}

TEST(replaces_what_is_not_utf8) {
  check_string("a\xff z", "a\xef\xbf\xbd z");
  check_string("\xc3", "\xef\xbf\xbd");                 /* cut off */
  check_string("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"); /* overlong */
  check_string("\xed\xa0\x80",                          /* a surrogate */
               "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  check_string("\xf4\x90\x80\x80", /* above U+10FFFF */
               "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(numbers_keep_their_value) {
  static const double numbers[] = {0,   0.1,     1e300, -2.5e-300,
                                   100, 1.0 / 3, 1e6,   123456789.125};
  struct buf b = {0};
  struct json j = {.out = &b};
  json_array(&j, NULL);
  json_int(&j, NULL, INT64_MIN);
  json_uint(&j, NULL, UINT64_MAX);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    json_double(&j, NULL, numbers[i]);
  json_double(&j, NULL, NAN);
  json_double(&j, NULL, INFINITY);
  json_end_array(&j);
  CHECK_HAS(buf_text(&b), "-9223372036854775808,\n  18446744073709551615,");
  CHECK_HAS(buf_text(&b), "  0.1,\n");
  CHECK_HAS(buf_text(&b), "  100,\n");
  CHECK_HAS(buf_text(&b), "  null,\n  null\n");
  char *at = strstr(b.at, "18446744073709551615"); /* read up to 2^63 */
  memset(at, '1', 20), at[0] = '0', at[1] = '.';
  const struct json_node *root = round_trip(&b);
  CHECK_INT(json_number_of(json_at(root, 0)), INT64_MIN);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const struct json_node *n = json_at(root, i + 2);
    CHECK((json_is(n, JSON_WHOLE) ? (double)n->number
                                  : strtod(n->text, NULL)) == numbers[i]);
  }
  buf_free(&b);
}

TEST_MAIN
