#include "base/json_tree.h"

#include "base/json.h"
#include "base/rng.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

static struct json_tree tree;

static void put_node(struct json *j, const struct json_node *n) {
  switch (n->kind) {
  case JSON_NULL:
    json_null(j, n->key);
    break;
  case JSON_BOOLEAN:
    json_bool(j, n->key, n->number);
    break;
  case JSON_WHOLE:
    json_int(j, n->key, n->number);
    break;
  case JSON_FRACTION:
    json_double(j, n->key, atof(n->text));
    break;
  case JSON_TEXT:
    json_string(j, n->key, n->text);
    break;
  case JSON_ARRAY:
    json_array(j, n->key);
    for (uint32_t i = 0; i < n->len; i++)
      put_node(j, &n->at[i]);
    json_end_array(j);
    break;
  case JSON_OBJECT:
    json_object(j, n->key);
    for (uint32_t i = 0; i < n->len; i++)
      put_node(j, &n->at[i]);
    json_end_object(j);
    break;
  }
}

/* As our writer writes what was read, or what was expected where. */
static const char *reread(const char *text, size_t len) {
  static struct buf b;
  static char trouble[100];
  struct json j = {.out = &b, .compact = true};
  buf_clear(&b);
  if (!json_tree_read(&tree, text, len)) {
    snprintf(trouble, sizeof trouble, "%" PRIu32 ":%" PRIu32 ": %s", tree.line,
             tree.column, tree.expected);
    return trouble;
  }
  put_node(&j, tree.root);
  return buf_text(&b);
}

static const char *read(const char *text) { return reread(text, strlen(text)); }

TEST(what_is_read_prints_as_it_was) {
  static const char *const same[] = {
      "null",
      "true",
      "{}",
      "[]",
      "[[],{},[[1]]]",
      "{\"a\":-9223372036854775808,\"b\":9223372036854775807,\"\":0}",
      "[\"\",\"x \\\"y\\\" \\\\ \\n\",\"\xc3\xa4 and a text that is longer\"]",
      "{\"a\":{\"b\":{\"c\":[false,true,null,0.5]}},\"d\":\"e\"}"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    CHECK_STR(read(same[i]), same[i]);
  CHECK_STR(read(" [ 1 ,\t2\r\n, { \"a\" : 3 } ] \n"), "[1,2,{\"a\":3}]");
  CHECK_STR(read("\"\\u00e4\\ud83d\\ude00\\/\""),
            "\"\xc3\xa4\xf0\x9f\x98\x80/\"");
}

TEST(what_is_no_json_is_refused_where_it_is_not) {
  CHECK_STR(read(""), "1:1: a value");
  CHECK_STR(read("  "), "1:3: a value");
  CHECK_STR(read("{\"a\":1"), "1:7: , or }");
  CHECK_STR(read("{\"a\":1,}"), "1:8: a field's name in quotes");
  CHECK_STR(read("[1,\n 2 3]"), "2:4: , or ]");
  CHECK_STR(read("{\"a\" 1}"), "1:6: : after the field's name");
  CHECK_STR(read("[1] 2"), "1:5: the end");
  CHECK_STR(read("tru"), "1:4: true");
  CHECK_STR(read("-"), "1:2: a number");
  CHECK_STR(read("1.e3"), "1:3: a number");
  CHECK_STR(read("9223372036854775808"), "1:1: a number of at most 64 bits");
  CHECK_STR(read("\"\\x\""), "1:3: an escape that is known");
  CHECK_STR(read("\"a\nb\""), "1:3: \" before the control character 0x0a");
  CHECK_STR(read("[\"\xff\"]"), "1:3: UTF-8");
  CHECK_STR(read("\"\\ud800 \""), "1:8: the second half of a surrogate pair");
}

TEST(a_text_holds_no_nul) {
  CHECK_STR(read("[\"a\\u0000\"]"), "1:2: a text without \\u0000");
  CHECK_STR(read("{\"\\u0000\":1}"), "1:2: a name without \\u0000");
  CHECK_STR(reread("[1\0]", 4), "1:3: , or ]");
}

TEST(a_field_stands_in_its_object_once) {
  CHECK_STR(read("{\"a\":1,\"b\":{\"a\":2},\"a\":3}"), "1:20: each field once");
  struct buf b = {0};
  buf_puts(&b, "{");
  for (int i = 0; i < 100; i++)
    buf_printf(&b, "\"k%d\":%d,", i, i);
  size_t before = b.len;
  buf_puts(&b, "\"k7\":1}");
  char want[40];
  snprintf(want, sizeof want, "1:%zu: each field once", before + 1);
  CHECK_STR(reread(b.at, b.len), want);
  b.len = before;
  buf_puts(&b, "\"k100\":100}");
  CHECK(json_tree_read(&tree, b.at, b.len));
  CHECK_INT(json_get(tree.root, "k7")->number, 7);
  CHECK_INT(json_get(tree.root, "k100")->number, 100);
  CHECK(!json_get(tree.root, "k101"));
  buf_free(&b);
}

TEST(nesting_has_a_bound) {
  struct buf b = {0};
  for (int i = 0; i < 100000; i++)
    buf_putc(&b, '[');
  CHECK_STR(reread(b.at, b.len), "1:401: at most 400 nested values");
  buf_free(&b);
}

/* Texts with bytes changed: never anything but a tree or a place in them. */
TEST(garbage_does_no_harm) {
  static const char good[] =
      "{\"type\":\"rmw\",\"thread\":1,\"addr\":\"0xfff0\",\"value\":-1,"
      "\"calls\":[{\"file\":\"a\\u00e4\xc3\xa4.c\",\"line\":5},{}],\"x\":1."
      "5e3}";
  struct rng r = {7};
  for (int round = 0; round < 50000; round++) {
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    for (uint64_t k = rng_below(&r, 4); k--;)
      text[rng_below(&r, sizeof good - 1)] =
          "\"\\{}[],:0-\xff\n\0u"[rng_below(&r, 14)];
    size_t len = rng_below(&r, sizeof good);
    if (!json_tree_read(&tree, text, len))
      CHECK(tree.line >= 1 && tree.column >= 1 && tree.column <= len + 1);
  }
  json_tree_free(&tree);
}

TEST_MAIN
