/* From text to a tree of JSON. */
#include "base/json_tree.h"

#include "base/json_read.h"
#include "base/map128.h"

#include <assert.h>

enum { FEW = 16 }; /* fields that are compared one by one */

static bool read_value(struct json_tree *t, struct json_node *out);

static char *copied(struct json_tree *t, const char *text, size_t len) {
  char *copy = arena_room(&t->arena, len + 1);
  memcpy(copy, text, len);
  copy[len] = 0;
  return copy;
}

static bool read_text(struct json_tree *t, const char **out) {
  const char *text, *at = t->lex.p;
  size_t len;
  if (!lex_string(&t->lex, false, &text, &len))
    return false;
  if (memchr(text, 0, len)) /* J2 */
    return lex_bad(&t->lex, at, "a text without \\u0000");
  *out = copied(t, text, len);
  return true;
}

static bool read_number(struct json_tree *t, struct json_node *out) {
  const char *text, *at = t->lex.p;
  size_t len;
  bool whole;
  if (!json_number(&t->lex, &text, &len, &whole, &out->number))
    return false;
  out->kind = whole ? JSON_WHOLE : JSON_FRACTION;
  out->text = whole ? NULL : copied(t, text, len);
  if (!whole && !out->text[strcspn(out->text, ".eE")]) /* J3 */
    return lex_bad(&t->lex, at, "a number of at most 64 bits");
  return true;
}

/* What was read from `base` on becomes the items of `out`. */
static void close_node(struct json_tree *t, struct json_node *out,
                       uint32_t base) {
  out->len = t->open.len - base;
  if (out->len)
    out->at =
        arena_copy(&t->arena, t->open.at + base, out->len * sizeof *t->open.at);
  t->open.len = base;
}

static bool read_array(struct json_tree *t, struct json_node *out) {
  uint32_t base = t->open.len;
  bool more, ok;
  for (ok = json_open(&t->lex, ']', &more); ok && more;) {
    struct json_node n = {0};
    if (!read_value(t, &n))
      return false;
    vec_push(&t->open, n);
    ok = json_separator(&t->lex, ']', &more);
  }
  out->kind = JSON_ARRAY;
  close_node(t, out, base);
  return ok;
}

/* J1.  The fields so far are on the stack from `base` on. */
static bool is_new(struct json_tree *t, struct map128 *many, uint32_t base,
                   const char *key) {
  bool fresh = true;
  uint32_t n = t->open.len - base;
  if (n < FEW) {
    for (uint32_t i = base; i < t->open.len; i++)
      fresh &= strcmp(t->open.at[i].key, key) != 0;
    return fresh;
  }
  for (uint32_t i = base; n == FEW && i < t->open.len; i++) {
    const char *before = t->open.at[i].key;
    map128_put(many, hash128(before, strlen(before), 0), &fresh);
  }
  map128_put(many, hash128(key, strlen(key), 0), &fresh);
  return fresh;
}

static bool read_fields(struct json_tree *t, struct map128 *many) {
  uint32_t base = t->open.len;
  bool more, ok;
  for (ok = json_open(&t->lex, '}', &more); ok && more;) {
    struct json_node n = {0};
    const char *key, *at = t->lex.p;
    size_t len;
    if (!json_key(&t->lex, &key, &len))
      return false;
    if (memchr(key, 0, len))
      return lex_bad(&t->lex, at, "a name without \\u0000");
    n.key = copied(t, key, len);
    if (!is_new(t, many, base, n.key))
      return lex_bad(&t->lex, at, "each field once");
    if (!read_value(t, &n))
      return false;
    vec_push(&t->open, n);
    ok = json_separator(&t->lex, '}', &more);
  }
  return ok;
}

static bool read_object(struct json_tree *t, struct json_node *out) {
  struct map128 many = {0};
  uint32_t base = t->open.len;
  bool ok = read_fields(t, &many);
  map128_free(&many);
  out->kind = JSON_OBJECT;
  if (ok)
    close_node(t, out, base);
  return ok;
}

static bool read_value(struct json_tree *t, struct json_node *out) {
  switch (*t->lex.p) {
  case '0' ... '9':
  case '-':
    return read_number(t, out);
  case '"':
    out->kind = JSON_TEXT;
    return read_text(t, &out->text);
  case '[':
    return read_array(t, out);
  case '{':
    return read_object(t, out);
  case 't':
    out->kind = JSON_BOOLEAN;
    out->number = 1;
    return json_word(&t->lex, "true");
  case 'f':
    out->kind = JSON_BOOLEAN;
    return json_word(&t->lex, "false");
  case 'n':
    return json_word(&t->lex, "null");
  default:
    return lex_bad(&t->lex, t->lex.p, "a value");
  }
}

static bool read_all(struct json_tree *t) {
  json_skip(&t->lex);
  if (!read_value(t, t->root))
    return false;
  json_skip(&t->lex);
  return t->lex.p == t->lex.end || lex_bad(&t->lex, t->lex.p, "the end");
}

bool json_tree_read(struct json_tree *t, const char *text, size_t len) {
  struct lexer *l = &t->lex;
  struct buf scratch = l->scratch;
  arena_reset(&t->arena);
  vec_clear(&t->open);
  t->root = arena_alloc(&t->arena, sizeof *t->root);
  char *own = arena_room(&t->arena, len + LEX_SLACK);
  memcpy(own, text, len);
  memset(own + len, 0, LEX_SLACK); /* X1 */
  *l = (struct lexer){.p = own, .start = own, .end = own + len, .whole = true};
  l->line = 1;
  l->scratch = scratch;
  if (read_all(t))
    return true;
  t->line = l->line;
  t->column = (uint32_t)(l->bad_at - own - l->line_at + 1);
  memcpy(t->expected, l->expected, sizeof t->expected);
  t->root = NULL;
  return false;
}

void json_tree_free(struct json_tree *t) {
  arena_free(&t->arena);
  buf_free(&t->lex.scratch);
  vec_free(&t->open);
  *t = (struct json_tree){0};
}

const struct json_node *json_get(const struct json_node *n, const char *key) {
  for (uint32_t i = 0; json_is(n, JSON_OBJECT) && i < n->len; i++)
    if (!strcmp(n->at[i].key, key))
      return &n->at[i];
  return NULL;
}

const char *json_text_of(const struct json_node *n) {
  return json_is(n, JSON_TEXT) ? n->text : NULL;
}

const struct json_node *json_at(const struct json_node *n, size_t i) {
  return n && i < n->len ? &n->at[i] : NULL;
}
