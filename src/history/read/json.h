/* Reads JSON values as data. */
#ifndef HISTORY_READ_JSON_H
#define HISTORY_READ_JSON_H

#include "base/json_read.h"
#include "history/read/token.h"

int json_read_value(struct reader *r, datum *out); /* NULL: not wanted */
typedef int json_field(struct reader *r, const char *key, size_t len,
                       void *into);

static inline int read_expected(struct reader *r, char c, const char *what) {
  return json_expect(&r->lex, c, what) ? GOT : reader_unexpected(r);
}

/* A comma gives GOT and *more; the closing bracket GOT and !*more. */
static inline int read_separator(struct reader *r, char close, bool *more) {
  return json_separator(&r->lex, close, more) ? GOT : reader_unexpected(r);
}

/* Calls `field` for each field of an object; the current place is then the
 * value. */
static inline int json_read_object(struct reader *r, json_field *field,
                                   void *into) {
  const char *key;
  size_t len;
  bool more;
  int got;
  if (!json_open(&r->lex, '}', &more))
    return reader_unexpected(r);
  while (more) {
    if (!json_key(&r->lex, &key, &len))
      return reader_unexpected(r);
    if ((got = field(r, key, len, into)) ||
        (got = read_separator(r, '}', &more)))
      return got;
  }
  return GOT;
}

#endif
