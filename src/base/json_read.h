/*
 * JSON as it stands in text, piece by piece: who reads says what comes next.
 *
 *   for (ok = json_open(l, '}', &more); ok && more;
 *        ok = json_separator(l, '}', &more))
 *     … json_key(l, &key, &len) … a value …
 *
 * Numbers are as JSON writes them, but may begin with zeros.  All functions
 * give false when something else stands there, see base/lex.h.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/lex.h"

enum { JSON_DEPTH_MAX = 400 }; /* nested values */

void json_skip_space(struct lexer *l); /* newlines are counted */
static inline void json_skip(struct lexer *l) {
  if ((unsigned char)*l->p <= ' ')
    json_skip_space(l);
}

bool json_expect(struct lexer *l, char c, const char *what);

/* The bracket that `close` belongs to; *more: it is not closed at once. */
bool json_open(struct lexer *l, char close, bool *more);

/* A comma gives *more; the closing bracket !*more. */
static inline bool json_separator(struct lexer *l, char close, bool *more) {
  json_skip(l);
  *more = *l->p == ',';
  if (!*more && *l->p != close)
    return lex_bad(l, l->p, ", or %c", close);
  l->p++;
  if (*more)
    json_skip(l);
  else
    l->depth--;
  return true;
}

/* The name of a field and the colon; the place is then its value. */
static inline bool json_key(struct lexer *l, const char **key, size_t *len) {
  if (*l->p != '"')
    return lex_bad(l, l->p, "a field's name in quotes");
  if (!lex_string(l, false, key, len))
    return false;
  if (*l->p == ':')
    l->p++;
  else if (!json_expect(l, ':', ": after the field's name"))
    return false;
  json_skip(l);
  return true;
}

/* A number, as it stands there; *whole: it is an integer, of 64 bits. */
bool json_number(struct lexer *l, const char **text, size_t *len, bool *whole,
                 int64_t *out);
bool json_word(struct lexer *l, const char *word); /* true, false, null */

#endif
