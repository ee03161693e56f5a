/*
 * Text is a zero-terminated string.  Here are the questions about it that many
 * layers ask, and the ways to quote a word for somebody who reads it again.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool begins(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

static inline bool ends(const char *s, const char *suffix) {
  size_t n = strlen(s), k = strlen(suffix);
  return n >= k && !memcmp(s + n - k, suffix, k);
}

/* Is it what the pattern says?  A * in it stands for any text, also none. */
bool fits(const char *s, const char *pattern);

/* The last part of a path: what follows its last slash.  A path that ends in a
 * slash has none, and is left as it is. */
static inline const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* A word that the shell gives back as it is: in '…' only if it must be. */
void put_shell_word(struct buf *b, const char *word);

/* With a backslash before each " and \, to stand between double quotes. */
void put_escaped(struct buf *b, const char *s);

/* 1852 as 1,852 */
void put_number(struct buf *b, uint64_t n);
/* The same below a million, else two digits and a power of ten: 2.9·10^15. */
void put_rough_number(struct buf *b, uint64_t n);

#endif
