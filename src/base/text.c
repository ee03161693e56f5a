/* Words for shells and for formats that quote as C does; numbers for people. */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

bool fits(const char *s, const char *pattern) {
  const char *star = NULL,
             *from = NULL; /* the last *, and what it stands for */
  while (*s)
    if (*pattern == '*') {
      star = pattern++;
      from = s;
    } else if (*pattern == *s) {
      pattern++;
      s++;
    } else if (star) {
      pattern = star + 1;
      s = ++from;
    } else {
      return false;
    }
  while (*pattern == '*')
    pattern++;
  return !*pattern;
}

void put_shell_word(struct buf *b, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=./,:@%";
  if (*word && word[strspn(word, plain)] == '\0') {
    buf_puts(b, word);
    return;
  }
  buf_putc(b, '\'');
  for (; *word; word++)
    if (*word == '\'')
      buf_puts(b, "'\\''");
    else
      buf_putc(b, *word);
  buf_putc(b, '\'');
}

void put_escaped(struct buf *b, const char *s) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      buf_putc(b, '\\');
    buf_putc(b, *s);
  }
}

void put_number(struct buf *b, uint64_t n) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0)
      buf_putc(b, ',');
    buf_putc(b, digits[i]);
  }
}

void put_rough_number(struct buf *b, uint64_t n) {
  enum { EXACT = 1000000 };
  int power = 1;
  if (n < EXACT) {
    put_number(b, n);
    return;
  }
  uint64_t rest = n, unit = 1;
  for (; rest >= 100; rest /= 10, unit *= 10)
    power++;
  rest = n / unit + (n % unit >= unit / 2);
  if (rest == 100) {
    rest = 10;
    power++;
  }
  buf_printf(b, "%u.%u·10^%d", (unsigned)(rest / 10), (unsigned)(rest % 10),
             power);
}
