/*
 * The table of values, and texts and lists put together from their pieces.
 */
#include "spec/type_value.h"

#include "base/slow.h"

#include "spec/type_poly.h"

#include <assert.h>
#include <string.h>

static struct hash128 key_of_word(datum d) { return hash128(&d, sizeof d, 1); }

static struct hash128 key_of_content(const struct value_piece *p) {
  uint64_t words[4] = {p->hash[0], p->hash[1], p->len, p->kind};
  return hash128(words, sizeof words, 2);
}

/* Length and polynomial of a datum as it stands. */
static void measure(struct value_piece *p, datum d) {
  p->kind = datum_kind(d);
  const struct datum_box *b = datum_box(d);
  p->len = 1;
  if (p->kind == DATUM_IS_TEXT) {
    /* A symbol is not the text that is written like it. */
    if (b->symbol)
      p->kind = DATUM_IS_OTHER;
    else
      p->len = b->len;
  } else if (p->kind == DATUM_IS_LIST) {
    p->len = b->len;
  }
  for (int i = 0; i < 2; i++) {
    p->hash[i] = 0;
    if (p->kind == DATUM_IS_TEXT)
      for (uint32_t k = 0; k < p->len; k++)
        p->hash[i] =
            poly_push(p->hash[i], poly_of((unsigned char)b->text[k], i), i);
    else if (p->kind == DATUM_IS_LIST)
      for (uint32_t k = 0; k < p->len; k++)
        p->hash[i] = poly_push(p->hash[i], poly_of(b->items[k], i), i);
    else
      p->hash[i] = poly_of(d, i);
  }
}

static uint32_t number_of_content(struct values *v,
                                  const struct value_piece *p) {
  bool fresh;
  uint32_t *slot = map128_put(&v->by_content, key_of_content(p), &fresh);
  if (fresh) {
    *slot = v->pieces.len;
    vec_push(&v->pieces, *p);
  }
  return *slot;
}

uint32_t value_number(struct values *v, datum d) {
  bool fresh;
  uint32_t *slot = map128_put(&v->by_word, key_of_word(d), &fresh);
  if (!fresh)
    return *slot;
  struct value_piece p = {.piece = d, .before = UINT32_MAX};
  uint32_t number = v->pieces.len;
  if (v->appends) {
    measure(&p, d);
    number = number_of_content(v, &p);
  } else {
    vec_push(&v->pieces, p);
  }
  return *slot = number;
}

uint32_t value_append(struct values *v, uint32_t value, datum d, bool item) {
  struct value_piece whole = v->pieces.at[value], last;
  assert(v->appends);
  if (item) {
    if (whole.kind != DATUM_IS_LIST)
      return UINT32_MAX;
    last.len = 1;
    for (int i = 0; i < 2; i++)
      last.hash[i] = poly_of(d, i);
  } else {
    measure(&last, d);
    if (whole.kind != DATUM_IS_TEXT || last.kind != DATUM_IS_TEXT)
      return UINT32_MAX;
  }
  for (int i = 0; i < 2; i++)
    whole.hash[i] = poly_add(
        poly_multiply(whole.hash[i], poly_raise(POLY_POINT[i], last.len)),
        last.hash[i]);
  whole.len += last.len;
  whole.piece = d;
  whole.before = value; /* V1: it has a number already */
  return number_of_content(v, &whole);
}

/* Texts and lists are put together from their end. */
static datum join_text(struct values *v, const struct value_piece *p) {
  size_t len = p->len, end = len;
  char *text = xmalloc(len + 1);
  for (;; p = &v->pieces.at[p->before]) {
    const struct datum_box *b = datum_box(p->piece);
    end -= b->len;
    memcpy(text + end, b->text, b->len);
    if (p->before == UINT32_MAX)
      break;
  }
  assert(end == 0);
  datum d = datum_text(text, len);
  free(text);
  return d;
}

static datum join_list(struct values *v, const struct value_piece *p) {
  uint32_t len = (uint32_t)p->len, end = len;
  datum *items = xmalloc((len + 1) * sizeof *items);
  for (; p->before != UINT32_MAX; p = &v->pieces.at[p->before])
    items[--end] = p->piece;
  assert(end == datum_box(p->piece)->len);
  memcpy(items, datum_box(p->piece)->items, end * sizeof *items);
  datum d = datum_list(items, len);
  free(items);
  return d;
}

datum value_datum(struct values *v, uint32_t value) {
  assert(value < v->pieces.len); /* T3 */
  const struct value_piece *p = &v->pieces.at[value];
  if (p->before == UINT32_MAX)
    return p->piece;
  return p->kind == DATUM_IS_TEXT ? join_text(v, p) : join_list(v, p);
}

void values_check_invariants(struct values *v) {
  for (uint32_t i = 0; i < v->pieces.len; i++) {
    struct value_piece p = v->pieces.at[i];
    assert(p.before == UINT32_MAX || p.before < i); /* V1 */
    uint32_t found =
        v->appends ? number_of_content(v, &p) : value_number(v, p.piece);
    assert(found == i); /* V2 */
  }
}

void values_init(struct values *v, datum initial, bool appends) {
  *v = (struct values){.appends = appends};
  value_number(v, initial);
}

void values_free(struct values *v) {
  vec_free(&v->pieces);
  map128_free(&v->by_word);
  map128_free(&v->by_content);
}

uint64_t values_bytes(const struct values *v) {
  return (uint64_t)v->pieces.cap * sizeof *v->pieces.at +
         map128_bytes(&v->by_word) + map128_bytes(&v->by_content);
}

/* Marks the value and what it is pieced together from. */
static void mark(const struct values *v, uint32_t value, uint32_t *kept) {
  for (; value != UINT32_MAX && !kept[value];
       value = v->pieces.at[value].before)
    kept[value] = 1;
}

static void put_again(struct values *v, struct value_piece p) {
  bool fresh;
  if (v->appends)
    number_of_content(v, &p);
  else
    vec_push(&v->pieces, p);
  if (p.before == UINT32_MAX)
    *map128_put(&v->by_word, key_of_word(p.piece), &fresh) = v->pieces.len - 1;
}

void values_forget(struct values *v, uint32_t *keep, uint32_t n) {
  struct values old = *v;
  uint32_t *kept = xcalloc(old.pieces.len, sizeof *kept);
  mark(v, 0, kept);
  for (uint32_t i = 0; i < n; i++)
    mark(v, keep[i], kept);
  /* The tables are made anew, and are not there twice. */
  map128_free(&old.by_word);
  map128_free(&old.by_content);
  *v = (struct values){.appends = old.appends};
  for (uint32_t i = 0; i < old.pieces.len; i++) {
    if (!kept[i])
      continue;
    struct value_piece p = old.pieces.at[i];
    if (p.before != UINT32_MAX)
      p.before = kept[p.before]; /* smaller, so put already */
    kept[i] = v->pieces.len;
    put_again(v, p);
  }
  for (uint32_t i = 0; i < n; i++)
    keep[i] = kept[keep[i]];
  free(kept);
  vec_free(&old.pieces);
  check_slow((values_check_invariants(v), true));
}
