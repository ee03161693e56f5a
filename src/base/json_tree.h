/*
 * A JSON text as a tree, for readers that want all of a line or a file before
 * they look at it.
 *
 * (J1) a field stands in its object once.
 * (J2) a text has no NUL inside; it ends with one.
 * (J3) a number without a fraction and an exponent has 64 bits.
 */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include "base/arena.h"
#include "base/lex.h"
#include "base/vec.h"

enum json_kind {
  JSON_NULL,
  JSON_BOOLEAN,
  JSON_WHOLE,    /* a number in J3's sense */
  JSON_FRACTION, /* any other number */
  JSON_TEXT,
  JSON_ARRAY,
  JSON_OBJECT,
};

struct json_node {
  enum json_kind kind;
  const char *key;      /* of a field */
  int64_t number;       /* JSON_WHOLE; JSON_BOOLEAN: 0, 1 */
  const char *text;     /* JSON_TEXT; JSON_FRACTION: as it was written */
  struct json_node *at; /* JSON_ARRAY, JSON_OBJECT: what is inside */
  uint32_t len;
};

struct json_tree {
  struct json_node *root;
  /* When the text is not JSON: what was expected where, from 1 on. */
  uint32_t line, column;
  char expected[64];
  /* The tree's own. */
  struct arena arena;
  struct lexer lex;
  VEC(struct json_node) open; /* items of what is being read */
};

/* `struct json_tree t = {0}` is fit for it, and so is one that was used: what
 * it was is forgotten. */
bool json_tree_read(struct json_tree *t, const char *text, size_t len);
void json_tree_free(struct json_tree *t);

/* NULL when there is no such field, or `n` is no object. */
const struct json_node *json_get(const struct json_node *n, const char *key);
/* NULL when `n` is no text. */
const char *json_text_of(const struct json_node *n);
/* NULL beyond the end, or when `n` is no array or object. */
const struct json_node *json_at(const struct json_node *n, size_t i);
static inline uint32_t json_len(const struct json_node *n) {
  return n ? n->len : 0;
}
static inline bool json_is(const struct json_node *n, enum json_kind kind) {
  return n && n->kind == kind;
}
static inline bool json_is_true(const struct json_node *n) {
  return json_is(n, JSON_BOOLEAN) && n->number;
}

#endif
