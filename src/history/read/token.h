/* Tokens that JSON and EDN share, read from the reader's window. */
#ifndef HISTORY_READ_TOKEN_H
#define HISTORY_READ_TOKEN_H

#include "history/read/int.h"

/* A string from its opening quote; the bytes are valid until the next one.
 * `edn` knows other escapes. */
static inline int read_string(struct reader *r, bool edn, const char **text,
                              size_t *len) {
  return lex_string(&r->lex, edn, text, len) ? GOT : reader_unexpected(r);
}

#endif
