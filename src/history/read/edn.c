/*
 * EDN values as data.  Keywords and symbols are symbols (without the colon),
 * characters are texts, lists and vectors are lists, sets are sorted lists;
 * numbers that are not integers keep how they are written, as symbols.  Tags
 * are dropped.
 */
#include "history/read/edn.h"

#include <stdlib.h>

/* Characters that end a token: space, brackets, quotes, the NUL at the end. */
const bool edn_ends_token[256] = {
    [0 ... 32] = true, [','] = true, ['"'] = true, ['('] = true, [')'] = true,
    ['['] = true,      [']'] = true, ['{'] = true, ['}'] = true, [';'] = true};

static bool is_space(char c) {
  return c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r' ||
         c == '\f' || c == '\v';
}

static int skip_comment(struct reader *r) {
  while (*r->p != '\n') {
    if (r->p == r->end) /* the end of the file also ends it */
      return r->in.eof ? GOT : MORE;
    r->p++;
  }
  return GOT;
}

static int too_deep(struct reader *r) {
  return reader_bad(r, r->p, "expected at most %d nested values",
                    EDN_DEPTH_MAX);
}

int edn_skip_slowly(struct reader *r) {
  for (;;) {
    int got = GOT;
    if (is_space(*r->p)) {
      if (*r->p == '\n')
        reader_newline(r, r->p);
      r->p++;
    } else if (*r->p == ';') {
      got = skip_comment(r);
    } else if (*r->p == '#' && r->p + 1 == r->end && !r->in.eof) {
      return MORE; /* it may be #_ */
    } else if (*r->p == '#' && r->p[1] == '_') {
      r->p += 2;
      if (++r->depth > EDN_DEPTH_MAX)
        return too_deep(r);
      if (!(got = edn_skip_space(r)))
        got = edn_read_value(r, NULL);
      r->depth--;
    } else {
      return GOT;
    }
    if (got)
      return got;
  }
}

static int by_order(const void *x, const void *y) {
  return datum_order(*(const datum *)x, *(const datum *)y);
}

static datum set_of(datum *items, uint32_t n) {
  if (n)
    qsort(items, n, sizeof *items, by_order);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!kept || items[kept - 1] != items[i])
      items[kept++] = items[i];
  return datum_list(items, kept);
}

/* ---- keys of a map, which must be distinct ---- */

enum { FEW_KEYS = 16 }; /* compared one by one */

void edn_keys_begin(struct reader *r, struct edn_keys *k) {
  *k = (struct edn_keys){.base = r->keys.len};
}

static bool is_new(struct reader *r, struct edn_keys *k, struct edn_key key) {
  uint32_t n = r->keys.len - k->base;
  const struct edn_key *keys = r->keys.at ? r->keys.at + k->base : NULL;
  bool fresh = true;
  if (n < FEW_KEYS) {
    for (uint32_t i = 0; i < n; i++)
      fresh &= keys[i].key != key.key || keys[i].begins != key.begins;
    return fresh;
  }
  for (uint32_t i = 0; n == FEW_KEYS && i < n; i++)
    map128_put(&k->many, hash128(&keys[i], sizeof key, 0), &fresh);
  map128_put(&k->many, hash128(&key, sizeof key, 0), &fresh);
  return fresh;
}

int edn_keys_add(struct reader *r, struct edn_keys *k, datum key,
                 const char *at) {
  struct edn_key e = {key, strchr(":\"\\#{", *at) ? (uint64_t)*at : 0};
  if (is_new(r, k, e)) {
    vec_push(&r->keys, e);
    return GOT;
  }
  struct buf b = {0};
  datum_print(key, &b);
  int got = reader_bad(r, at, "expected the key %.60s only once in this map",
                       buf_text(&b));
  buf_free(&b);
  return got;
}

void edn_keys_end(struct reader *r, struct edn_keys *k) {
  r->keys.len = k->base;
  map128_free(&k->many);
}

/* ---- collections ---- */

/* A value of a collection; `keys` is given if it is a key. */
static int read_item(struct reader *r, struct edn_keys *keys, bool wanted) {
  datum item = DATUM_NONE;
  const char *at = r->p;
  int got = edn_read_value(r, wanted || keys ? &item : NULL);
  if (!got && keys)
    got = edn_keys_add(r, keys, item, at);
  if (!got && wanted)
    vec_push(&r->items, item);
  return got;
}

/* The items of a collection, after its opening bracket; `keys` is given for a
 * map. */
static int read_items(struct reader *r, char close, struct edn_keys *keys,
                      bool wanted, uint32_t *n) {
  if (++r->depth > EDN_DEPTH_MAX)
    return too_deep(r);
  for (*n = 0;; ++*n) {
    int got = edn_skip_space(r);
    if (got)
      return got;
    if (*r->p == close)
      break;
    if (!*r->p || strchr(")]}", *r->p))
      return reader_bad(r, r->p, "expected a value or %c", close);
    if ((got = read_item(r, *n % 2 ? NULL : keys, wanted)))
      return got;
  }
  r->p++;
  r->depth--;
  return GOT;
}

static int read_collection(struct reader *r, char close, datum *out, bool set) {
  uint32_t base = r->items.len, n = 0;
  const char *at = r->p;
  struct edn_keys keys;
  edn_keys_begin(r, &keys);
  r->p++;
  bool map = close == '}' && !set;
  int got = read_items(r, close, map ? &keys : NULL, out != NULL, &n);
  edn_keys_end(r, &keys);
  if (got)
    return got;
  if (map && n % 2)
    return reader_bad(r, at, "expected a value for every key of the map");
  datum *items = items_from(r, base);
  if (out && set)
    *out = set_of(items, n);
  else if (out)
    *out = map ? datum_map(items, n / 2) : datum_list(items, n);
  r->items.len = base;
  return GOT;
}

/* \a, \newline, A */
static int read_char(struct reader *r, datum *out) {
  static const struct {
    const char *name, *is;
  } named[] = {{"newline", "\n"}, {"space", " "},      {"tab", "\t"},
               {"return", "\r"},  {"backspace", "\b"}, {"formfeed", "\f"}};
  const char *s = r->p + 1;
  if (s == r->end)
    return reader_bad(r, s, "expected a character after \\");
  const char *end = edn_token_end(s + 1);
  if (end == r->end && !r->in.eof)
    return MORE;
  const char *is = s;
  size_t len = (size_t)(end - s);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (len == strlen(named[i].name) && !memcmp(s, named[i].name, len)) {
      is = named[i].is;
      len = 1;
    }
  if (!is_utf8(is, len))
    return reader_bad(r, s, "expected UTF-8");
  if (out)
    *out = datum_text(is, len);
  r->p = end;
  return GOT;
}

static bool looks_like_number(const char *s) {
  s += *s == '-' || *s == '+';
  return *s >= '0' && *s <= '9';
}

/* 12, -3, 12N; 1.5, 1/2, 1e9, 1M as they are written. */
static int read_number(struct reader *r, datum *out) {
  int64_t n;
  const char *quick = r->p;
  if (read_int(&quick, &n) && edn_ends_token[(unsigned char)*quick] &&
      quick != r->end) {
    if (out)
      *out = datum_number(n);
    r->p = quick;
    return GOT;
  }
  const char *end = edn_token_end(r->p), *p = r->p + (*r->p == '+');
  if (end == r->end && !r->in.eof)
    return MORE;
  bool whole = read_int(&p, &n) && (p == end || (*p == 'N' && p + 1 == end));
  if (!whole)
    for (p = r->p; p < end; p++)
      if (!strchr("0123456789+-./eENMxXabcdefABCDEFr", *p))
        return reader_bad(r, p, "expected a number");
  if (out)
    *out = whole ? datum_number(n) : datum_symbol(r->p, (size_t)(end - r->p));
  r->p = end;
  return GOT;
}

/* A word: nil, true, false, a keyword or a symbol. */
static int read_word(struct reader *r, datum *out) {
  const char *s = r->p, *end = edn_token_end(s);
  size_t len = (size_t)(end - s);
  if (end == r->end && !r->in.eof)
    return MORE;
  if (len == (*s == ':'))
    return reader_bad(
        r, end, *s == ':' ? "expected a name after :" : "expected a value");
  for (const char *c = s; c < end; c++)
    if (strchr("\\`~@^", *c))
      return reader_bad(r, c, "expected a value");
  if (!is_utf8(s, len))
    return reader_bad(r, s, "expected UTF-8");
  if (!out)
    ;
  else if (len == 3 && !memcmp(s, "nil", 3))
    *out = DATUM_NIL;
  else if (len == 4 && !memcmp(s, "true", 4))
    *out = DATUM_TRUE;
  else if (len == 5 && !memcmp(s, "false", 5))
    *out = DATUM_FALSE;
  else
    *out = datum_symbol(s + (*s == ':'), len - (*s == ':'));
  r->p = end;
  return GOT;
}

/* #{set}, #tag value, ##NaN, #"pattern" */
static int read_hash(struct reader *r, datum *out, bool *tuple) {
  const char *s = r->p + 1;
  if (*s == '{' || *s == '"') {
    r->p++;
    return *s == '{' ? read_collection(r, '}', out, true)
                     : edn_read_value(r, out);
  }
  if (*s == '#') {
    r->p += 2;
    return read_word(r, out);
  }
  const char *end = edn_token_end(s);
  if (end == s || (end == r->end && !r->in.eof))
    return reader_bad(r, end, "expected a tag after #");
  if (tuple && end - s >= 5)
    *tuple = !memcmp(end - 5, "Tuple", 5) || !memcmp(end - 5, "tuple", 5);
  r->p = end;
  if (++r->depth > EDN_DEPTH_MAX)
    return too_deep(r);
  int got = edn_skip_space(r);
  if (!got)
    got = edn_read_value(r, out);
  r->depth--;
  return got;
}

int edn_read_tuple(struct reader *r, datum *out, bool *tuple) {
  *tuple = false;
  return *r->p == '#' ? read_hash(r, out, tuple) : edn_read_value(r, out);
}

int edn_read_value(struct reader *r, datum *out) {
  const char *text;
  size_t len;
  int got;
  switch (*r->p) {
  case '"':
    if ((got = read_string(r, true, &text, &len)))
      return got;
    if (out)
      *out = datum_text(text, len);
    return GOT;
  case '[':
    return read_collection(r, ']', out, false);
  case '(':
    return read_collection(r, ')', out, false);
  case '{':
    return read_collection(r, '}', out, false);
  case '#':
    return read_hash(r, out, NULL);
  case '\\':
    return read_char(r, out);
  default:
    return looks_like_number(r->p) ? read_number(r, out) : read_word(r, out);
  }
}
