/* Reading the text of FL_SPEC's roles. */
#include "spec/roles.h"

#include "base/buf.h"

#include <ctype.h>
#include <string.h>

static const char *skip(const char *s) {
  while (isspace((unsigned char)*s))
    s++;
  return s;
}

static size_t word_length(const char *s) {
  size_t n = 0;
  if (!isalpha((unsigned char)*s) && *s != '_')
    return 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '_')
    n++;
  return n;
}

/* To the comma that ends a value, or the end of the text; NULL when quotes or
 * parentheses do not close. */
static const char *value_end(const char *s) {
  int depth = 0;
  for (; *s; s++) {
    if (*s == '"' || *s == '\'') {
      char quote = *s++;
      while (*s && *s != quote)
        s += *s == '\\' && s[1] ? 2 : 1;
      if (!*s)
        return NULL;
    } else if (*s == '(') {
      depth++;
    } else if (*s == ')') {
      depth--;
    } else if (*s == ',' && depth == 0) {
      break;
    }
    if (depth < 0)
      return NULL;
  }
  return depth ? NULL : s;
}

/* f, &f, (f), (&f), ns::f */
static char *read_word(const char *s) {
  unsigned open = 0;
  for (;; s = skip(s + 1)) {
    if (*s == '(')
      open++;
    else if (*s != '&')
      break;
  }
  const char *start = s, *end;
  for (;;) {
    size_t n = word_length(s);
    if (!n)
      return NULL;
    end = s + n;
    s = skip(end);
    if (strncmp(s, "::", 2))
      break;
    s = skip(s + 2);
  }
  for (; open && *s == ')'; open--)
    s = skip(s + 1);
  return *s || open ? NULL : xstrndup(start, (size_t)(end - start));
}

static int digits(const char **s, int base, int max) {
  int v = 0;
  for (int i = 0; i < max && isxdigit((unsigned char)**s); i++, (*s)++) {
    char c = **s;
    int d = isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10;
    if (d >= base)
      break;
    v = v * base + d;
  }
  return v;
}

/* "text" with its escapes, several after each other joined; NULL if it is not
 * a string. */
static char *read_string(const char *s) {
  static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
  struct buf b = {0};
  if (*s != '"')
    return NULL;
  while (*s == '"') {
    for (s++; *s && *s != '"';) {
      const char *hit;
      if (*s != '\\') {
        buf_putc(&b, *s++);
      } else if (s[1] == 'x') {
        s += 2;
        buf_putc(&b, (char)digits(&s, 16, 2));
      } else if (s[1] >= '0' && s[1] <= '7') {
        s++;
        buf_putc(&b, (char)digits(&s, 8, 3));
      } else {
        hit = s[1] ? strchr(from, s[1]) : NULL;
        buf_putc(&b, hit ? to[hit - from] : s[1]);
        s += s[1] ? 2 : 1;
      }
    }
    s = skip(*s ? s + 1 : s);
  }
  char *text = *s ? NULL : xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

char *roles_read(role_texts *out, const char *text) {
  const char *s = skip(text ? text : "");
  while (*s) {
    struct role_text r = {0};
    size_t n = word_length(s);
    const char *after = skip(s + n);
    if (!n || *after != '=')
      return xasprintf(
          "expected `role = function` or `setting = value` at `%.40s`", s);
    const char *value = skip(after + 1), *end = value_end(value);
    if (!end)
      return xasprintf("quotes or parentheses do not match in `%.40s`", value);
    const char *last = end;
    while (last > value && isspace((unsigned char)last[-1]))
      last--;
    if (last == value)
      return xasprintf("nothing follows `%.*s =`", (int)(n < 40 ? n : 40), s);
    r.name = xstrndup(s, n);
    r.source = xstrndup(value, (size_t)(last - value));
    r.word = read_word(r.source);
    r.text = read_string(r.source);
    r.is_number = constant_read(r.source, &r.number);
    vec_push(out, r);
    s = *end ? skip(end + 1) : end;
  }
  return NULL;
}

void roles_free(role_texts *r) {
  for (uint32_t i = 0; i < r->len; i++) {
    free(r->at[i].name);
    free(r->at[i].source);
    free(r->at[i].word);
    free(r->at[i].text);
  }
  vec_free(r);
}
