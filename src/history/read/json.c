/*
 * JSON values as data.  Integers are numbers; other numbers keep how they are
 * written, as symbols; {"symbol": s} and {"pointer": s} are symbols,
 * {"map": [[k, v], …]} is a map whose keys are not all texts.
 */
#include "history/read/json.h"

/* Reads a field of an object that becomes a map, onto the stack of items. */
static int put_field(struct reader *r, const char *key, size_t len,
                     void *wanted) {
  datum value = DATUM_NONE;
  datum name = wanted ? datum_text(key, len) : DATUM_NONE;
  int got = json_read_value(r, wanted ? &value : NULL);
  if (got || !wanted)
    return got;
  vec_push(&r->items, name);
  vec_push(&r->items, value);
  return GOT;
}

static bool is_text(datum d, const char *text) {
  return datum_kind(d) == DATUM_IS_TEXT && !strcmp(datum_box(d)->text, text);
}

/* {"map": [[k, v], …]} */
static bool unfold_map(datum pairs, datum *out) {
  if (datum_kind(pairs) != DATUM_IS_LIST)
    return false;
  const struct datum_box *b = datum_box(pairs);
  VEC(datum) all = {0};
  bool fits = true;
  for (uint32_t i = 0; i < b->len && fits; i++) {
    datum pair = b->items[i];
    fits = datum_kind(pair) == DATUM_IS_LIST && datum_box(pair)->len == 2;
    for (uint32_t k = 0; fits && k < 2; k++)
      vec_push(&all, datum_box(pair)->items[k]);
  }
  if (fits)
    *out = datum_map(all.at, all.len / 2);
  vec_free(&all);
  return fits;
}

static datum object_of(datum *items, uint32_t npairs) {
  datum d;
  if (npairs == 1 && datum_kind(items[1]) == DATUM_IS_TEXT &&
      (is_text(items[0], "symbol") || is_text(items[0], "pointer")))
    return datum_symbol(datum_box(items[1])->text, datum_box(items[1])->len);
  if (npairs == 1 && is_text(items[0], "map") && unfold_map(items[1], &d))
    return d;
  return datum_map(items, npairs);
}

static int read_object(struct reader *r, datum *out) {
  uint32_t base = r->items.len;
  int got = json_read_object(r, put_field, out);
  if (!got && out)
    *out = object_of(items_from(r, base), (r->items.len - base) / 2);
  r->items.len = base;
  return got;
}

static int read_array(struct reader *r, datum *out) {
  uint32_t base = r->items.len;
  bool more;
  int got;
  if (!json_open(&r->lex, ']', &more))
    return reader_unexpected(r);
  while (more) {
    datum item = DATUM_NONE;
    if ((got = json_read_value(r, out ? &item : NULL)) ||
        (got = read_separator(r, ']', &more)))
      return got;
    if (out)
      vec_push(&r->items, item);
  }
  if (out)
    *out = datum_list(items_from(r, base), r->items.len - base);
  r->items.len = base;
  return GOT;
}

static int read_number(struct reader *r, datum *out) {
  const char *text;
  size_t len;
  int64_t n;
  bool whole;
  if (!json_number(&r->lex, &text, &len, &whole, &n))
    return reader_unexpected(r);
  if (out)
    *out = whole ? datum_number(n) : datum_symbol(text, len);
  return GOT;
}

static int read_word(struct reader *r, const char *word, datum is, datum *out) {
  if (!json_word(&r->lex, word))
    return reader_unexpected(r);
  if (out)
    *out = is;
  return GOT;
}

int json_read_value(struct reader *r, datum *out) {
  const char *text;
  size_t len;
  int got;
  switch (*r->p) {
  case '0' ... '9':
  case '-':
    return read_number(r, out);
  case '"':
    if ((got = read_string(r, false, &text, &len)))
      return got;
    if (out)
      *out = datum_text(text, len);
    return GOT;
  case '[':
    return read_array(r, out);
  case '{':
    return read_object(r, out);
  case 't':
    return read_word(r, "true", DATUM_TRUE, out);
  case 'f':
    return read_word(r, "false", DATUM_FALSE, out);
  case 'n':
    return read_word(r, "null", DATUM_NIL, out);
  default:
    return reader_bad(r, r->p, "expected a value");
  }
}
