/*
 * A lexer walks through text that is read: JSON, EDN.  Here are the tokens that
 * both have, integers and strings.  Most are short, and are looked at eight
 * bytes at a time.
 *
 * The text may be a window on a longer one.  What goes on behind the window
 * fails at `end`, and its reader tries again when there is more.
 *
 * (X1) the text ends with a NUL at `end`, behind which LEX_SLACK - 1 bytes more
 *      can be read.
 * (X2) a function that fails says where (bad_at, not behind end) and what was
 *      expected there.
 */
#ifndef BASE_LEX_H
#define BASE_LEX_H

#include "base/buf.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LEX_SLACK = 16 };

/* For a reader that has a lexer inside, with its fields as its own. */
#define LEX_FIELDS                                                             \
  const char *p, *end; /* the place; the end of the text */                    \
  const char *start;   /* of the text */                                       \
  bool whole;          /* nothing follows behind the end */                    \
  bool one_a_line;     /* a value of JSON may not go beyond its line */        \
  uint32_t line;                                                               \
  int64_t line_at;    /* where the line begins, counted from the start */      \
  uint32_t depth;     /* of nested values */                                   \
  struct buf scratch; /* a string without its escapes */

struct lexer {
  LEX_FIELDS
  const char *bad_at;
  char expected[64];
};

/* `at` is where something else was expected; false. */
bool lex_bad(struct lexer *l, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void lex_newline(struct lexer *l, const char *at) {
  l->line++;
  l->line_at = at + 1 - l->start;
}

bool read_long_int(const char **p, int64_t *out); /* 19 digits or more */

static inline unsigned digit(char c) {
  return (unsigned char)c - (unsigned)'0';
}

/* The digits among the next eight bytes, at most eight: their number, how many
 * there are.  Pairs, fours and then all eight are joined by a multiplication.
 */
static inline uint64_t eight_digits(const char *s, unsigned *count) {
  uint64_t word, zeros = 0x3030303030303030u, tops = 0x8080808080808080u;
  memcpy(&word, s, 8);
  word = le64toh(word);
  /* Marks a byte that is no digit; bytes above 0x7f mark themselves. */
  uint64_t other =
      ((word + 0x4646464646464646u) | (word - zeros) | word) & tops;
  *count = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
  if (!*count)
    return 0;
  word = (word - zeros) << (64 - 8 * *count);
  word = word * 10 + (word >> 8);
  return ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
          (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
         32;
}

/* Digits with a sign: false when there is no number or it has more than 63
 * bits; *p is then where it was. */
static inline bool read_int(const char **p, int64_t *out) {
  const char *s = *p + (**p == '-'), *digits = s;
  uint64_t n = digit(*s);
  if (n > 9)
    return false;
  if (digit(*++s) <= 9) {
    unsigned count;
    n = eight_digits(digits, &count);
    for (s = digits + count; count == 8 && digit(*s) <= 9; s++)
      n = n * 10 + digit(*s);
  }
  if (s - digits > 18)
    return read_long_int(p, out);
  *out = **p == '-' ? -(int64_t)n : (int64_t)n;
  *p = s;
  return true;
}

bool is_utf8(const char *text, size_t len);
bool lex_long_string(struct lexer *l, bool edn, const char **text, size_t *len);

/* The bytes of a word that are '"'; the lowest mark is exact, those above it
 * may be too many. */
static inline uint64_t quotes_in(uint64_t word) {
  uint64_t x = word ^ 0x2222222222222222u;
  return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* The same for what cannot stand as it is: backslash, controls, not ASCII. */
static inline uint64_t odd_in(uint64_t word) {
  uint64_t x = word ^ 0x5c5c5c5c5c5c5c5cu;
  return (((x - 0x0101010101010101u) & ~x) |
          ((word - 0x2020202020202020u) & ~word) | word) &
         0x8080808080808080u;
}

/* A string from its opening quote; the bytes are valid until the next one.
 * `edn` knows other escapes.  Up to 15 plain bytes are found at once. */
static inline bool lex_string(struct lexer *l, bool edn, const char **text,
                              size_t *len) {
  uint64_t word;
  const char *at = l->p + 1;
  for (int i = 0; *l->p == '"' && i < 2; i++, at += 8) {
    memcpy(&word, at, 8);
    word = le64toh(word);
    uint64_t quotes = quotes_in(word), odd = odd_in(word);
    if (!(quotes | odd))
      continue;
    if (!quotes || (odd & (quotes ^ (quotes - 1))))
      break;
    *text = l->p + 1;
    *len = (size_t)(at - *text) + (size_t)__builtin_ctzll(quotes) / 8;
    l->p = *text + *len + 1;
    return true;
  }
  return lex_long_string(l, edn, text, len);
}

#endif
