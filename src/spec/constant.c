/*
 * Integer constant expressions, as they stand in FL_SPEC after stringification:
 * -1, (-1), 0x10u, 'c', (void *)0, (-2147483647 - 1), 1 << 4.
 */
#include "spec/roles.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

struct constant_reader {
  const char *at;
  bool bad;
  unsigned depth; /* of nesting, so that no text can exhaust the stack */
};

static const struct {
  const char *name;
  int64_t value;
} names[] = {
    {"true", 1},
    {"false", 0},
    {"NULL", 0},
    {"nullptr", 0},
    {"__null", 0},
    {"CHAR_MAX", CHAR_MAX},
    {"CHAR_MIN", CHAR_MIN},
    {"INT_MAX", INT_MAX},
    {"INT_MIN", INT_MIN},
    {"UINT_MAX", UINT_MAX},
    {"LONG_MAX", LONG_MAX},
    {"LONG_MIN", LONG_MIN},
    {"LLONG_MAX", LLONG_MAX},
    {"LLONG_MIN", LLONG_MIN},
    {"ULONG_MAX", -1},
    {"ULLONG_MAX", -1},
    {"SIZE_MAX", -1},
    {"UINTPTR_MAX", -1},
    {"INTPTR_MAX", INT64_MAX},
    {"INTPTR_MIN", INT64_MIN},
    {"INT8_MAX", INT8_MAX},
    {"INT8_MIN", INT8_MIN},
    {"UINT8_MAX", UINT8_MAX},
    {"INT16_MAX", INT16_MAX},
    {"INT16_MIN", INT16_MIN},
    {"UINT16_MAX", UINT16_MAX},
    {"INT32_MAX", INT32_MAX},
    {"INT32_MIN", INT32_MIN},
    {"UINT32_MAX", UINT32_MAX},
    {"INT64_MAX", INT64_MAX},
    {"INT64_MIN", INT64_MIN},
    {"UINT64_MAX", -1},
};

/* Types of casts; a pointer to anything is 8 bytes. */
static const struct {
  const char *name;
  int bits; /* negative: signed */
} types[] = {
    {"int8_t", -8},     {"uint8_t", 8},    {"int16_t", -16}, {"uint16_t", 16},
    {"int32_t", -32},   {"uint32_t", 32},  {"int64_t", -64}, {"uint64_t", 64},
    {"intptr_t", -64},  {"uintptr_t", 64}, {"size_t", 64},   {"ssize_t", -64},
    {"ptrdiff_t", -64}, {"bool", 1},       {"_Bool", 1},
};

static void skip(struct constant_reader *r) {
  while (isspace((unsigned char)*r->at))
    r->at++;
}

static bool eat(struct constant_reader *r, const char *token) {
  skip(r);
  size_t n = strlen(token);
  if (strncmp(r->at, token, n))
    return false;
  r->at += n;
  return true;
}

static size_t word_length(const char *s) {
  size_t n = 0;
  if (!isalpha((unsigned char)*s) && *s != '_')
    return 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '_')
    n++;
  return n;
}

static bool is(const char *at, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(at, name, n);
}

static bool named(const char *at, size_t n, int64_t *value) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is(at, n, names[i].name)) {
      *value = names[i].value;
      return true;
    }
  return false;
}

/* After a parenthesis: the words of a type and `)`.  0 and nothing read when
 * this is no cast; else its bits, negative when signed. */
static int cast(struct constant_reader *r) {
  const char *start = r->at;
  bool is_unsigned = false, pointer = false, any = false;
  int bits = 0;
  for (;; any = true) {
    skip(r);
    size_t n = word_length(r->at);
    int64_t ignored;
    if (n && (pointer || named(r->at, n, &ignored)))
      break;
    if (!n && !(any && *r->at == '*'))
      break;
    if (!n) {
      pointer = true;
      r->at++;
      continue;
    }
    if (is(r->at, n, "unsigned"))
      is_unsigned = true;
    if (is(r->at, n, "long"))
      bits = -64;
    else if (is(r->at, n, "short"))
      bits = -16;
    else if (is(r->at, n, "char"))
      bits = -8;
    else if (!bits && (is(r->at, n, "int") || is(r->at, n, "unsigned") ||
                       is(r->at, n, "signed")))
      bits = -32;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      if (is(r->at, n, types[i].name))
        bits = types[i].bits;
    r->at += n;
  }
  if (any && *r->at == ')') {
    r->at++;
    if (pointer)
      return 64;
    if (bits) /* else an unknown type: an enum, say */
      return is_unsigned && bits < 0 ? -bits : bits;
    return -64;
  }
  r->at = start;
  return 0;
}

static int64_t fit(int64_t v, int bits) {
  if (bits == 1)
    return v != 0;
  int n = bits < 0 ? -bits : bits;
  if (n == 64)
    return v;
  uint64_t u = (uint64_t)v << (64 - n);
  return bits < 0 ? (int64_t)u >> (64 - n) : (int64_t)(u >> (64 - n));
}

static int64_t character(struct constant_reader *r) {
  static const char from[] = "abfnrtv0", to[] = "\a\b\f\n\r\t\v";
  int64_t v = (signed char)*r->at;
  if (!*r->at || *r->at == '\'') {
    r->bad = true;
    return 0;
  }
  if (*r->at++ == '\\') {
    char *end = (char *)r->at;
    if (*r->at == 'x')
      v = (signed char)strtol(r->at + 1, &end, 16);
    else if (isdigit((unsigned char)*r->at))
      v = (signed char)strtol(r->at, &end, 8);
    else if (*r->at) {
      const char *hit = strchr(from, *r->at);
      v = hit ? to[hit - from] : *r->at;
      end++;
    }
    r->at = end;
  }
  r->bad |= *r->at != '\'';
  r->at += !r->bad;
  return v;
}

static int64_t number(struct constant_reader *r) {
  char *end;
  errno = 0;
  bool binary = r->at[0] == '0' && (r->at[1] == 'b' || r->at[1] == 'B');
  uint64_t v = strtoull(binary ? r->at + 2 : r->at, &end, binary ? 2 : 0);
  r->bad |= errno != 0;
  while (*end && strchr("uUlL", *end))
    end++;
  r->at = end;
  r->bad |= isalnum((unsigned char)*end) || *end == '.' || *end == '_';
  return (int64_t)v;
}

static int64_t expression(struct constant_reader *r, int level);

static int64_t operand(struct constant_reader *r) {
  int64_t v = 0;
  if (r->bad || ++r->depth > 200) {
    r->bad = true;
    return 0;
  }
  skip(r);
  if (isdigit((unsigned char)*r->at)) {
    v = number(r);
  } else if (eat(r, "'")) {
    v = character(r);
  } else if (eat(r, "-")) {
    v = (int64_t) - (uint64_t)operand(r);
  } else if (eat(r, "+")) {
    v = operand(r);
  } else if (eat(r, "~")) {
    v = ~operand(r);
  } else if (eat(r, "!")) {
    v = !operand(r);
  } else if (eat(r, "(")) {
    int bits = cast(r);
    if (bits) {
      v = fit(operand(r), bits);
    } else {
      v = expression(r, 0);
      r->bad |= !eat(r, ")");
    }
  } else {
    size_t n = word_length(r->at);
    r->bad |= !n || !named(r->at, n, &v);
    r->at += n;
  }
  r->depth--;
  return v;
}

/* Binary operators, loosest first; those of one level are left-associative. */
static int binary(struct constant_reader *r, int level) {
  static const char *const op[][4] = {
      {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (int i = 0; i < 3 && op[level][i]; i++)
    if (eat(r, op[level][i]))
      return op[level][i][0];
  return 0;
}

static int64_t expression(struct constant_reader *r, int level) {
  if (level == 6)
    return operand(r);
  int64_t v = expression(r, level + 1);
  for (int op; !r->bad && (op = binary(r, level));) {
    int64_t w = expression(r, level + 1);
    uint64_t a = (uint64_t)v, b = (uint64_t)w;
    if ((op == '/' || op == '%') && (w == 0 || w == -1))
      r->bad = true; /* never meant; and INT64_MIN / -1 traps */
    else if ((op == '<' || op == '>') && b > 63)
      r->bad = true;
    else
      v = op == '|'   ? v | w
          : op == '^' ? v ^ w
          : op == '&' ? v & w
          : op == '<' ? (int64_t)(a << b)
          : op == '>' ? v >> b
          : op == '+' ? (int64_t)(a + b)
          : op == '-' ? (int64_t)(a - b)
          : op == '*' ? (int64_t)(a * b)
          : op == '/' ? v / w
                      : v % w;
  }
  return v;
}

bool constant_read(const char *text, int64_t *value) {
  struct constant_reader r = {.at = text};
  int64_t v = expression(&r, 0);
  skip(&r);
  if (r.bad || *r.at)
    return false;
  *value = v;
  return true;
}
