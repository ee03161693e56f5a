/*
 * Tokens that JSON and EDN share: integers and strings.  Most are short and are
 * read eight bytes at a time, which the NULs after the window allow.
 */
#ifndef HISTORY_READ_TOKEN_H
#define HISTORY_READ_TOKEN_H

#include "history/read/int.h"

#include <endian.h>

bool read_long_int(const char **p, int64_t *out); /* 19 digits or more */

static inline unsigned digit(char c) {
  return (unsigned char)c - (unsigned)'0';
}

/* The number that the digits at s make, at most eight of them; *count: how many
 * there are.  Pairs, fours and then all eight are joined by multiplications. */
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

/* Reads an integer at *p.  False: there is none, or it has more than 63 bits;
 * *p stays where it was. */
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
int read_long_string(struct reader *r, bool edn, const char **text,
                     size_t *len);

/* Marks the bytes of a word that are '"'.  The lowest mark is exact; there may
 * be wrong ones above it. */
static inline uint64_t quotes_in(uint64_t word) {
  uint64_t x = word ^ 0x2222222222222222u;
  return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* The same for bytes that do not stand for themselves. */
static inline uint64_t odd_in(uint64_t word) {
  uint64_t x = word ^ 0x5c5c5c5c5c5c5c5cu;
  return (((x - 0x0101010101010101u) & ~x) |
          ((word - 0x2020202020202020u) & ~word) | word) &
         0x8080808080808080u;
}

/* Reads a string from its opening quote; the text is valid until the next one.
 * `edn` has other escapes.  Up to 15 plain bytes are found at once. */
static inline int read_string(struct reader *r, bool edn, const char **text,
                              size_t *len) {
  uint64_t word;
  const char *s = r->p + 1;
  for (int i = 0; *r->p == '"' && i < 2; i++, s += 8) {
    memcpy(&word, s, 8);
    word = le64toh(word);
    uint64_t quotes = quotes_in(word), odd = odd_in(word);
    if (!(quotes | odd))
      continue;
    if (!quotes || (odd & (quotes ^ (quotes - 1))))
      break;
    *text = r->p + 1;
    *len = (size_t)(s - *text) + (size_t)__builtin_ctzll(quotes) / 8;
    r->p = *text + *len + 1;
    return GOT;
  }
  return read_long_string(r, edn, text, len);
}

#endif
