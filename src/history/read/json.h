/* Reads JSON values as data. */
#ifndef HISTORY_READ_JSON_H
#define HISTORY_READ_JSON_H

#include "history/read/token.h"

int json_skip_space(struct reader *r);             /* newlines are counted */
int json_read_value(struct reader *r, datum *out); /* NULL: not wanted */
int json_expect(struct reader *r, char c, const char *what);
typedef int json_field(struct reader *r, const char *key, size_t len,
                       void *into);

static inline void json_skip(struct reader *r) {
  if ((unsigned char)*r->p <= ' ')
    json_skip_space(r);
}

/* "," gives GOT and *more; the closing bracket GOT and !*more. */
static inline int json_separator(struct reader *r, char close, const char *what,
                                 bool *more) {
  json_skip(r);
  *more = *r->p == ',';
  if (!*more && *r->p != close)
    return reader_bad(r, r->p, "expected %s", what);
  r->p++;
  return GOT;
}

/* Calls `field` for each field of an object; the current place is then the
 * value. */
static inline int json_read_object(struct reader *r, json_field *field,
                                   void *into) {
  const char *key;
  size_t len;
  bool more = true;
  int got = json_expect(r, '{', "{");
  if (got)
    return got;
  if (++r->depth > JSON_DEPTH_MAX)
    return reader_bad(r, r->p - 1, "expected at most %d nested values",
                      JSON_DEPTH_MAX);
  json_skip(r);
  if (*r->p == '}') {
    r->p++;
    more = false;
  }
  while (more) {
    json_skip(r);
    if (*r->p != '"')
      return reader_bad(r, r->p, "expected a field's name in quotes");
    if ((got = read_string(r, false, &key, &len)))
      return got;
    if (*r->p == ':')
      r->p++;
    else if ((got = json_expect(r, ':', ": after the field's name")))
      return got;
    json_skip(r);
    if ((got = field(r, key, len, into)) ||
        (got = json_separator(r, '}', ", or }", &more)))
      return got;
  }
  r->depth--;
  return GOT;
}

#endif
