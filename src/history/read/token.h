/* Tokens that JSON and EDN share, from the reader's window. */
#ifndef HISTORY_READ_TOKEN_H
#define HISTORY_READ_TOKEN_H

#include "history/read/int.h"

/* Reads a string from its opening quote; the text is valid until the next one.
 * `edn` has other escapes. */
static inline int read_string(struct reader *r, bool edn, const char **text,
                              size_t *len) {
  return lex_string(&r->lex, edn, text, len) ? GOT : reader_unexpected(r);
}

#endif
