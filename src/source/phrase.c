/* Finds the statement at a place and puts its parts into words. */
#include "source/phrase.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 60 };

/* ---- which statement ---- */

static size_t place(const struct ctext *c, uint32_t line, uint32_t column) {
  size_t at = 0;
  for (uint32_t n = 1; n < line; n++) {
    const char *end = memchr(c->text + at, '\n', c->len - at);
    if (!end)
      return c->len;
    at = (size_t)(end - c->text) + 1;
  }
  return at + column - 1;
}

static bool has_place(const struct ctext *c, const struct cstmt *s, size_t at) {
  const struct ctoken *a = &c->tokens.at[s->first], *b = &c->tokens.at[s->last];
  return at >= a->at && at < b->at + b->len;
}

/* The simple statement or return there, if there is one only; or NONE. */
static uint32_t stmt_at(const struct ctext *c, uint32_t line, uint32_t column) {
  size_t at = column ? place(c, line, column) : 0;
  uint32_t found = CTEXT_NONE;
  for (uint32_t i = 0; i < c->stmts.len; i++) {
    const struct cstmt *s = &c->stmts.at[i];
    bool here = column ? has_place(c, s, at)
                       : cstmt_first_line(c, i) <= line &&
                             cstmt_last_line(c, i) >= line;
    if ((s->kind != CSTMT_SIMPLE && s->kind != CSTMT_RETURN) || !here)
      continue;
    if (found != CTEXT_NONE)
      return CTEXT_NONE;
    found = i;
  }
  return found;
}

/* ---- words ---- */

/* Tokens [first, last), with one blank where there are any. */
static bool put(const struct ctext *c, uint32_t first, uint32_t last,
                struct buf *out) {
  struct buf text = {0};
  if (first >= last)
    return false;
  ctext_put(c, first, last - 1, &text);
  buf_clear(out);
  for (size_t i = 0; i < text.len; i++) {
    bool blank = isspace((unsigned char)text.at[i]);
    if (!blank)
      buf_putc(out, text.at[i]);
    else if (out->len && out->at[out->len - 1] != ' ')
      buf_putc(out, ' ');
  }
  bool comment = strstr(text.at, "/*") || strstr(text.at, "//");
  buf_free(&text);
  return out->len <= LONGEST && !comment;
}

static bool is_one_of(const struct ctext *c, uint32_t t,
                      const char *const *words) {
  for (; *words; words++)
    if (ctext_is(c, t, *words))
      return true;
  return false;
}

static bool is_declaration(const struct ctext *c, uint32_t first,
                           uint32_t last) {
  for (uint32_t t = first; t + 1 < last; t++) {
    bool name = c->tokens.at[t].kind == CTOKEN_NAME;
    if (name && c->tokens.at[t + 1].kind == CTOKEN_NAME)
      return true;
    if (name && t == first && ctext_is(c, t + 1, "*"))
      return true; /* T *x */
  }
  return false;
}

static uint32_t depth_after(const struct ctext *c, uint32_t t, uint32_t depth) {
  if (ctext_is(c, t, "(") || ctext_is(c, t, "[") || ctext_is(c, t, "{"))
    return depth + 1;
  bool closes =
      ctext_is(c, t, ")") || ctext_is(c, t, "]") || ctext_is(c, t, "}");
  return closes && depth ? depth - 1 : depth;
}

/* The first of some tokens outside of brackets in [first, last), or NONE. */
static uint32_t find(const struct ctext *c, uint32_t first, uint32_t last,
                     const char *const *words) {
  uint32_t depth = 0;
  for (uint32_t t = first; t < last; t++) {
    if (!depth && is_one_of(c, t, words))
      return t;
    depth = depth_after(c, t, depth);
  }
  return CTEXT_NONE;
}

/* ---- updates ---- */

static const char *const assigns[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
static const char *const steps[] = {"++", "--", NULL};
static const char *const comma[] = {",", NULL};

/* Calls whose first argument points to what they change, and how. */
static const struct {
  const char *call, *by;
} atomics[] = {
    {"atomic_store", "="},        {"atomic_store_explicit", "="},
    {"__atomic_store_n", "="},    {"atomic_exchange", "="},
    {"__atomic_exchange_n", "="}, {"atomic_exchange_explicit", "="},
    {"atomic_fetch_add", "+="},   {"atomic_fetch_add_explicit", "+="},
    {"__atomic_fetch_add", "+="}, {"__sync_fetch_and_add", "+="},
    {"__atomic_add_fetch", "+="}, {"__sync_add_and_fetch", "+="},
    {"atomic_fetch_sub", "-="},   {"atomic_fetch_sub_explicit", "-="},
    {"__atomic_fetch_sub", "-="}, {"__sync_fetch_and_sub", "-="},
    {"__atomic_sub_fetch", "-="}, {"__sync_sub_and_fetch", "-="},
    {"atomic_fetch_or", "|="},    {"atomic_fetch_or_explicit", "|="},
    {"__atomic_fetch_or", "|="},  {"__sync_fetch_and_or", "|="},
    {"atomic_fetch_and", "&="},   {"atomic_fetch_and_explicit", "&="},
    {"__atomic_fetch_and", "&="}, {"__sync_fetch_and_and", "&="},
};

static const char *atomic_by(const struct ctext *c, uint32_t t) {
  for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
    if (ctext_is(c, t, atomics[i].call) && ctext_is(c, t + 1, "("))
      return atomics[i].by;
  return NULL;
}

/* The only such call of the statement, or NONE. */
static uint32_t atomic_call(const struct ctext *c, const struct cstmt *s) {
  uint32_t found = CTEXT_NONE;
  for (uint32_t t = s->first; t + 2 < s->last; t++) {
    if (!atomic_by(c, t))
      continue;
    if (found != CTEXT_NONE)
      return CTEXT_NONE;
    found = t;
  }
  return found;
}

static uint32_t closing(const struct ctext *c, uint32_t open, uint32_t last) {
  uint32_t depth = 0;
  for (uint32_t t = open; t < last; t++)
    if (!(depth = depth_after(c, t, depth)))
      return t;
  return CTEXT_NONE;
}

/* atomic_store(&target, value) */
static bool atomic_update(const struct ctext *c, const struct cstmt *s,
                          struct phrase_update *out) {
  uint32_t call = atomic_call(c, s);
  if (call == CTEXT_NONE)
    return false;
  uint32_t first = call + 2, end = closing(c, call + 1, s->last);
  uint32_t at = end == CTEXT_NONE ? end : find(c, first, end, comma);
  if (at == CTEXT_NONE)
    return false;
  uint32_t next = find(c, at + 1, end, comma);
  bool of = ctext_is(c, first, "&");
  if (!put(c, first + of, at, &out->target) ||
      !put(c, at + 1, next == CTEXT_NONE ? end : next, &out->value))
    return false;
  if (!of) { /* a pointer */
    struct buf b = {0};
    buf_printf(&b, "*%s", out->target.at);
    buf_free(&out->target);
    out->target = b;
  }
  buf_puts(&out->by, atomic_by(c, call));
  return true;
}

bool phrase_update(const struct ctext *c, uint32_t line, uint32_t column,
                   struct phrase_update *out) {
  uint32_t i = stmt_at(c, line, column);
  *out = (struct phrase_update){0};
  if (i == CTEXT_NONE)
    return false;
  const struct cstmt *s = &c->stmts.at[i];
  uint32_t at = find(c, s->first, s->last, assigns);
  if (s->kind == CSTMT_RETURN ||
      (at != CTEXT_NONE && is_declaration(c, s->first, at)))
    return atomic_update(c, s, out);
  if (at != CTEXT_NONE && atomic_call(c, s) != CTEXT_NONE) {
    uint32_t call = c->tokens.at[atomic_call(c, s)].at;
    if (!column) /* which of the two is meant? */
      return false;
    if (place(c, line, column) >= call)
      return atomic_update(c, s, out);
  }
  if (at != CTEXT_NONE)
    return put(c, at, at + 1, &out->by) && put(c, s->first, at, &out->target) &&
           put(c, at + 1, s->last, &out->value);
  if (s->last < s->first + 2)
    return false;
  if (is_one_of(c, s->last - 1, steps))
    return put(c, s->last - 1, s->last, &out->by) &&
           put(c, s->first, s->last - 1, &out->target);
  if (is_one_of(c, s->first, steps))
    return put(c, s->first, s->first + 1, &out->by) &&
           put(c, s->first + 1, s->last, &out->target);
  return atomic_update(c, s, out);
}

void phrase_update_free(struct phrase_update *u) {
  buf_free(&u->target);
  buf_free(&u->value);
  buf_free(&u->by);
}

static bool same_name(const struct ctext *c, uint32_t a, uint32_t b) {
  const struct ctoken *x = &c->tokens.at[a], *y = &c->tokens.at[b];
  return x->kind == CTOKEN_NAME && y->kind == CTOKEN_NAME && x->len == y->len &&
         !memcmp(c->text + x->at, c->text + y->at, x->len);
}

/* The name at `t` is one of a variable, and may get another value there. */
static bool is_given(const struct ctext *c, uint32_t t) {
  static const char *const fields[] = {".", "->", NULL};
  static const char *const inside[] = {"->", "[", NULL};
  if (!t || is_one_of(c, t - 1, fields))
    return false;
  return (ctext_is(c, t - 1, "&") && !is_one_of(c, t + 1, inside)) ||
         is_one_of(c, t - 1, steps) || is_one_of(c, t + 1, assigns) ||
         is_one_of(c, t + 1, steps);
}

bool phrase_moves(const struct ctext *c, uint32_t line, uint32_t to) {
  uint32_t i = stmt_at(c, line, 0);
  if (i == CTEXT_NONE || to > line)
    return false;
  const struct cstmt *s = &c->stmts.at[i];
  for (uint32_t t = 0; t < s->first && t + 1 < c->tokens.len; t++)
    for (uint32_t k = s->first; k < s->last; k++)
      if (c->tokens.at[t].line >= to && same_name(c, t, k) && is_given(c, t))
        return false;
  return true;
}

bool phrase_call(const struct ctext *c, uint32_t line, struct buf *out) {
  uint32_t i = stmt_at(c, line, 0);
  if (i == CTEXT_NONE)
    return false;
  const struct cstmt *s = &c->stmts.at[i];
  return s->kind == CSTMT_SIMPLE &&
         c->tokens.at[s->first].kind == CTOKEN_NAME &&
         ctext_is(c, s->first + 1, "(") && ctext_is(c, s->last - 1, ")") &&
         put(c, s->first, s->last, out);
}
