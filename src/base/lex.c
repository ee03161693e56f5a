/* Tokens that JSON and EDN share: integers and strings. */
#include "base/lex.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

bool lex_bad(struct lexer *l, const char *at, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vsnprintf(l->expected, sizeof l->expected, format, ap);
  va_end(ap);
  assert(at >= l->start && at <= l->end); /* X2 */
  assert(!*l->end);                       /* X1 */
  l->bad_at = at;
  return false;
}

bool read_long_int(const char **p, int64_t *out) {
  const char *s = *p;
  bool minus = *s == '-';
  uint64_t n = 0;
  for (s += minus; *s >= '0' && *s <= '9'; s++)
    if (__builtin_mul_overflow(n, 10, &n) ||
        __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
      return false;
  if (n > (uint64_t)INT64_MAX + minus)
    return false;
  *out = minus ? (int64_t)-n : (int64_t)n;
  *p = s;
  return true;
}

/* The length of the character at s; 0: not UTF-8.  The NUL after the window
 * ends every sequence. */
static size_t utf8(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4)
    return 0;
  size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  /* No longer form than needed, no surrogate, nothing above U+10FFFF. */
  unsigned char least = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned char most = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < least || s[1] > most)
    return 0;
  for (size_t i = 2; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return n;
}

bool is_utf8(const char *text, size_t len) {
  for (const char *end = text + len; text < end;) {
    size_t n = utf8(text);
    if (!n || n > (size_t)(end - text))
      return false;
    text += n;
  }
  return true;
}

static void put_utf8(struct buf *b, uint32_t c) {
  if (c < 0x80) {
    buf_putc(b, (char)c);
  } else if (c < 0x800) {
    buf_putc(b, (char)(0xc0 | c >> 6));
    buf_putc(b, (char)(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    buf_putc(b, (char)(0xe0 | c >> 12));
    buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_putc(b, (char)(0x80 | (c & 0x3f)));
  } else {
    buf_putc(b, (char)(0xf0 | c >> 18));
    buf_putc(b, (char)(0x80 | (c >> 12 & 0x3f)));
    buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_putc(b, (char)(0x80 | (c & 0x3f)));
  }
}

static int hex(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the four digits after \u. */
static bool read_hex(struct lexer *l, const char **s, uint32_t *out) {
  *out = 0;
  for (int i = 0; i < 4; i++, ++*s) {
    int d = hex(**s);
    if (d < 0)
      return lex_bad(l, *s, "four hexadecimal digits after \\u");
    *out = *out << 4 | (uint32_t)d;
  }
  return true;
}

/* A character above U+FFFF is written as two. */
static bool read_unicode(struct lexer *l, const char **s) {
  uint32_t c, low;
  const char *at = *s;
  if (!read_hex(l, s, &c))
    return false;
  if (c >= 0xd800 && c < 0xdc00) {
    if ((*s)[0] != '\\')
      return lex_bad(l, *s, "the second half of a surrogate pair");
    if ((*s)[1] != 'u')
      return lex_bad(l, *s + 1, "the second half of a surrogate pair");
    *s += 2;
    if (!read_hex(l, s, &low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return lex_bad(l, at, "a surrogate pair");
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  } else if (c >= 0xdc00 && c < 0xe000) {
    return lex_bad(l, at, "the first half of a surrogate pair");
  }
  put_utf8(&l->scratch, c);
  return true;
}

/* Reads an escape; *s is after the backslash. */
static bool read_escape(struct lexer *l, bool edn, const char **s) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = **s;
  if (c == 'u') {
    ++*s;
    return read_unicode(l, s);
  }
  const char *known = c ? strchr(from, c) : NULL;
  if (!known || (edn && c == '/'))
    return lex_bad(l, *s, "an escape that is known");
  buf_putc(&l->scratch, to[known - from]);
  ++*s;
  return true;
}

/* Reads a character that is not plain ASCII text at *s. */
static bool read_odd(struct lexer *l, bool edn, const char **s) {
  if (**s == '\\') {
    ++*s;
    return read_escape(l, edn, s);
  }
  size_t n = utf8(*s);
  if (!n) /* the rest of it may come */
    return lex_bad(l, l->end - *s < 4 && !l->whole ? l->end : *s, "UTF-8");
  if (n == 1 && (unsigned char)**s < 0x20) {
    if (*s == l->end)
      return lex_bad(l, *s, "\" at the end of the text");
    if (!edn || !**s)
      return lex_bad(l, *s, "\" before the control character 0x%02x",
                     (unsigned char)**s);
    if (**s == '\n')
      lex_newline(l, *s);
  }
  buf_put(&l->scratch, *s, n);
  *s += n;
  return true;
}

/* Bytes that do not stand for themselves: controls, quote, backslash, and bytes
 * that are not ASCII. */
static const bool odd[256] = {
    [0 ... 31] = true, ['"'] = true, ['\\'] = true, [128 ... 255] = true};

bool lex_long_string(struct lexer *l, bool edn, const char **text,
                     size_t *len) {
  const char *s = l->p;
  if (*s != '"')
    return lex_bad(l, s, "\"");
  const char *start = ++s;
  while (!odd[(unsigned char)*s])
    s++;
  if (*s == '"') {
    *text = start;
    *len = (size_t)(s - start);
    l->p = s + 1;
    return true;
  }
  buf_clear(&l->scratch);
  buf_put(&l->scratch, start, (size_t)(s - start));
  while (*s != '"') {
    if (!read_odd(l, edn, &s))
      return false;
    start = s;
    while (!odd[(unsigned char)*s])
      s++;
    buf_put(&l->scratch, start, (size_t)(s - start));
  }
  *text = buf_text(&l->scratch);
  *len = l->scratch.len;
  l->p = s + 1;
  return true;
}
