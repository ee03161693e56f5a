/* The pieces of JSON. */
#include "base/json_read.h"

#include <assert.h>

void json_skip_space(struct lexer *l) {
  const char *p = l->p;
  for (;; p++) {
    if (*p == '\n' && !(l->one_a_line && l->depth))
      lex_newline(l, p);
    else if (*p != ' ' && *p != '\t' && *p != '\r')
      break;
  }
  l->p = p;
}

bool json_expect(struct lexer *l, char c, const char *what) {
  json_skip(l);
  if (*l->p != c)
    return lex_bad(l, l->p, "%s", what);
  l->p++;
  return true;
}

bool json_open(struct lexer *l, char close, bool *more) {
  bool object = close == '}';
  if (!json_expect(l, object ? '{' : '[', object ? "{" : "["))
    return false;
  if (++l->depth > JSON_DEPTH_MAX)
    return lex_bad(l, l->p - 1, "at most %d nested values", JSON_DEPTH_MAX);
  json_skip(l);
  *more = *l->p != close;
  if (!*more) {
    l->p++;
    l->depth--;
  }
  return true;
}

static const char *digits(const char *s) {
  while (*s >= '0' && *s <= '9')
    s++;
  return s;
}

/* The end of a number as JSON writes it; NULL: *at is where it is not one. */
static const char *number_end(const char *s, const char **at) {
  s += *s == '-';
  const char *whole = s;
  s = digits(s);
  *at = s;
  if (s == whole)
    return NULL;
  if (*s == '.') {
    const char *part = ++s;
    s = digits(s);
    *at = s;
    if (s == part)
      return NULL;
  }
  if (*s == 'e' || *s == 'E') {
    s++;
    s += *s == '+' || *s == '-';
    const char *part = s;
    s = digits(s);
    *at = s;
    if (s == part)
      return NULL;
  }
  return s;
}

bool json_number(struct lexer *l, const char **text, size_t *len, bool *whole,
                 int64_t *out) {
  const char *at, *end = number_end(l->p, &at), *p = l->p;
  if (!end)
    return lex_bad(l, at, "a number");
  if (end == l->end && !l->whole) /* it may go on */
    return lex_bad(l, end, "the end of a number");
  *text = l->p;
  *len = (size_t)(end - l->p);
  *whole = read_int(&p, out) && p == end;
  l->p = end;
  return true;
}

bool json_word(struct lexer *l, const char *word) {
  for (const char *w = word; *w; w++, l->p++)
    if (*l->p != *w)
      return lex_bad(l, l->p, "%s", word);
  return true;
}
