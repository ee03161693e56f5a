/* JSON that a test looks into: one document at a time. */
#ifndef JSON_TEST_H
#define JSON_TEST_H

#include "base/json_tree.h"

#include <stdio.h>

static struct json_tree test_json;

/* Valid until the next one; NULL, with a word about it, when it is no JSON. */
__attribute__((unused)) static const struct json_node *
json_parsed(const char *text, size_t len) {
  if (json_tree_read(&test_json, text, len))
    return test_json.root;
  fprintf(stderr, "%u:%u: expected %s\n", test_json.line, test_json.column,
          test_json.expected);
  return NULL;
}

/* 0 when it is no whole number. */
__attribute__((unused)) static int64_t
json_number_of(const struct json_node *n) {
  return json_is(n, JSON_WHOLE) ? n->number : 0;
}

#endif
