/* Cleaning and fitting text: UTF-8, and how many columns a character takes. */
#include "report/cell.h"

#include "base/slow.h"

#include <string.h>

size_t cell_decode(const char *s, unsigned *code) {
  const unsigned char *p = (const unsigned char *)s;
  if (p[0] == 0)
    return 0;
  if (p[0] < 0x80) {
    *code = p[0];
    return 1;
  }
  size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
  if (p[0] < 0xc2 || p[0] > 0xf4)
    return 0;
  unsigned c = p[0] & (0x7f >> n);
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (p[i] & 0x3f);
  }
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  *code = c;
  return n;
}

/* Controls, and what makes a terminal show another order than the bytes have.
 */
static bool harmful(unsigned c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

static size_t columns(unsigned c) {
  if ((c >= 0x300 && c <= 0x36f) || (c >= 0xfe00 && c <= 0xfe0f))
    return 0;
  bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
              (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
              (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
              (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
              (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

void cell_clean(const char *s, bool utf8, struct buf *out) {
  while (*s) {
    unsigned c = 0;
    size_t n = cell_decode(s, &c);
    if (n == 0)
      buf_printf(out, "\\x%02x", (unsigned char)*s);
    else if (c == '\n')
      buf_puts(out, "\\n");
    else if (c == '\t')
      buf_puts(out, "\\t");
    else if (c < 0x80 && harmful(c))
      buf_printf(out, "\\x%02x", c);
    else if (c == 0xb7 && !utf8) /* 2.9·10^15 */
      buf_putc(out, '*');
    else if (harmful(c) || (c >= 0x80 && !utf8))
      buf_printf(out, "\\u%04x", c);
    else
      buf_put(out, s, n);
    s += n ? n : 1;
  }
}

bool cell_is_clean(const char *s) {
  unsigned c;
  for (size_t n; *s; s += n)
    if (!(n = cell_decode(s, &c)) || harmful(c))
      return false;
  return true;
}

size_t cell_width(const char *s) {
  size_t width = 0;
  check_slow(cell_is_clean(s)); /* C1 */
  unsigned c;
  for (size_t n; (n = cell_decode(s, &c)) != 0; s += n)
    width += columns(c);
  return width;
}

/* How many bytes of `s` take at most `width` columns. */
static size_t bytes_of(const char *s, size_t width) {
  size_t at = 0, used = 0;
  unsigned c;
  for (size_t n; (n = cell_decode(s + at, &c)) != 0; at += n) {
    used += columns(c);
    if (used > width)
      break;
  }
  return at;
}

/* Where the last `width` columns of `s` begin. */
static const char *tail_of(const char *s, size_t width) {
  size_t skip = cell_width(s), n;
  unsigned c;
  while (skip > width && (n = cell_decode(s, &c)) != 0) {
    skip -= columns(c);
    s += n;
  }
  return s;
}

static void fit(const char *s, size_t width, size_t tail, bool utf8,
                struct buf *out) {
  if (cell_width(s) <= width) {
    buf_puts(out, s);
    return;
  }
  const char *dots = utf8 ? "…" : "...";
  size_t wide = cell_width(dots);
  if (width <= wide) {
    buf_put(out, s, bytes_of(s, width));
    return;
  }
  size_t room = width - wide, start = out->len;
  if (tail > room)
    tail = room;
  buf_put(out, s, bytes_of(s, room - tail));
  buf_puts(out, dots);
  buf_puts(out, tail_of(s, tail));
  check_slow(cell_width(out->at + start) <= width);
}

void cell_fit(const char *s, size_t width, bool utf8, struct buf *out) {
  fit(s, width, 0, utf8, out);
}

void cell_fit_middle(const char *s, size_t width, bool utf8, struct buf *out) {
  /* The end of a name (a field) says more than its middle. */
  fit(s, width, width / 2, utf8, out);
}

void cell_fit_name(const char *s, size_t width, bool utf8, struct buf *out) {
  size_t wide = utf8 ? 1 : 3, tail = 0;
  if (cell_width(s) > width && width > wide)
    for (const char *p = s; *p && !tail; p++) {
      size_t skip = *p == '.' ? 1 : *p == '-' && p[1] == '>' ? 2 : 0;
      if (skip && cell_width(p + skip) <= (width - wide) * 3 / 4)
        tail = cell_width(p + skip);
    }
  fit(s, width, tail ? tail : width / 2, utf8, out);
}
