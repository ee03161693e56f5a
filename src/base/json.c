/* Writing JSON: commas, indentation, escapes. */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void newline(struct json *j) {
  if (j->compact)
    return;
  buf_putc(j->out, '\n');
  buf_spaces(j->out, 2 * j->depth);
}

/*
 * Length of the UTF-8 character at s (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF), or 0.
 */
static unsigned utf8(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  unsigned n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
               : s[0] >= 0xe0 && s[0] <= 0xef ? 3
               : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                              : 0;
  for (unsigned i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

static void escape(struct buf *out, unsigned char c) {
  static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
  const char *short_form = c ? strchr(from, c) : NULL;
  if (short_form)
    buf_printf(out, "\\%c", to[short_form - from]);
  else
    buf_printf(out, "\\u%04x", c);
}

static void quote(struct buf *out, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  buf_putc(out, '"');
  while (*s) {
    unsigned n = utf8(s);
    if (!n) {
      buf_puts(out, "\xef\xbf\xbd"); /* U+FFFD */
      s++;
    } else if (*s < 0x20 || *s == '"' || *s == '\\') {
      escape(out, *s++);
    } else {
      buf_put(out, s, n);
      s += n;
    }
  }
  buf_putc(out, '"');
}

/* Goes to the place of the next value, and names it. */
static void begin(struct json *j, const char *name) {
  if (j->comma)
    buf_putc(j->out, ',');
  if (j->depth)
    newline(j);
  if (name) {
    quote(j->out, name);
    buf_puts(j->out, j->compact ? ":" : ": ");
  }
  j->comma = true;
}

static void open_container(struct json *j, const char *name, char bracket) {
  begin(j, name);
  buf_putc(j->out, bracket);
  j->depth++;
  j->comma = false;
}

static void close_container(struct json *j, char bracket) {
  assert(j->depth);
  j->depth--;
  if (j->comma) /* else it is empty: [] */
    newline(j);
  buf_putc(j->out, bracket);
  j->comma = j->depth > 0;
  if (!j->depth && !j->compact)
    buf_putc(j->out, '\n');
}

void json_object(struct json *j, const char *name) {
  open_container(j, name, '{');
}
void json_array(struct json *j, const char *name) {
  open_container(j, name, '[');
}
void json_end_object(struct json *j) { close_container(j, '}'); }
void json_end_array(struct json *j) { close_container(j, ']'); }

void json_string(struct json *j, const char *name, const char *value) {
  if (!value) {
    json_null(j, name);
    return;
  }
  begin(j, name);
  quote(j->out, value);
}

void json_int(struct json *j, const char *name, int64_t value) {
  begin(j, name);
  buf_printf(j->out, "%" PRId64, value);
}

void json_uint(struct json *j, const char *name, uint64_t value) {
  begin(j, name);
  buf_printf(j->out, "%" PRIu64, value);
}

/* The shortest digits that read back as the same number. */
void json_double(struct json *j, const char *name, double value) {
  if (!isfinite(value)) { /* JSON has no such numbers */
    json_null(j, name);
    return;
  }
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value)
      break;
  }
  begin(j, name);
  buf_puts(j->out, digits);
}

void json_bool(struct json *j, const char *name, bool value) {
  begin(j, name);
  buf_puts(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *name) {
  begin(j, name);
  buf_puts(j->out, "null");
}
