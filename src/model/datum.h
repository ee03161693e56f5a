/*
 * A datum is a value in a recorded history: what an operation was given or has
 * returned, as files write it.  It is one word of 32 bits; equal data are equal
 * words within one process, so that comparing and hashing cost nothing.
 *
 *     …00  a number of 30 bits, shifted left by two
 *     …01  the place of an interned struct datum_box: text, a list, a map
 *     …10  one of DATUM_NONE, DATUM_NIL, DATUM_FALSE, DATUM_TRUE
 *     …11  the place of a number that does not fit
 *
 * A long history is mostly data, and what it costs to read and to check one is
 * above all its memory.
 *
 * Nothing is freed but all at once: a history of many distinct texts costs
 * their memory, one of many large numbers about 20 bytes for each.
 * Making data that are not small is for one thread at a time.
 */
#ifndef MODEL_DATUM_H
#define MODEL_DATUM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t datum;

#define DATUM_NONE ((datum)0x02) /* nothing was said: void, or not known */
#define DATUM_NIL ((datum)0x0a)  /* null, nil */
#define DATUM_FALSE ((datum)0x12)
#define DATUM_TRUE ((datum)0x1a)

enum datum_kind {
  DATUM_IS_NUMBER,
  DATUM_IS_TEXT,
  DATUM_IS_LIST,
  DATUM_IS_MAP, /* items are key, value, key, value, … sorted by datum_order */
  DATUM_IS_OTHER, /* one of the four above */
};

struct datum_box {
  uint8_t kind;
  bool symbol;  /* text that stands without quotes: an EDN keyword, a class name
                   of Java; equal to the same text with quotes?  No. */
  uint32_t len; /* bytes of the text, items of the list or map */
  uint64_t hash;
  union {
    datum items[0]; /* as many as `len` says */
    char text[0];   /* ends with a NUL */
  };
};

/* Boxes and large numbers by place, in pieces that never move. */
enum { DATUM_PIECE = 16, DATUM_PIECES = 1 << (30 - DATUM_PIECE) };
extern struct datum_box **datum_boxes[DATUM_PIECES];
extern int64_t *datum_numbers[DATUM_PIECES];
#define DATUM_AT(pieces, place)                                                \
  ((pieces)[(place) >> DATUM_PIECE][(place) & ((1 << DATUM_PIECE) - 1)])

static inline bool datum_is_small(datum d) { return (d & 3) == 0; }
static inline bool datum_is_boxed(datum d) { return (d & 3) == 1; }
static inline const struct datum_box *datum_box(datum d) { /* or NULL */
  return datum_is_boxed(d) ? DATUM_AT(datum_boxes, d >> 2) : NULL;
}
static inline bool datum_is_number(datum d) {
  return datum_is_small(d) || (d & 3) == 3;
}
static inline enum datum_kind datum_kind(datum d) {
  if (datum_is_number(d))
    return DATUM_IS_NUMBER;
  return datum_is_boxed(d) ? (enum datum_kind)datum_box(d)->kind
                           : DATUM_IS_OTHER;
}
static inline int64_t datum_to_number(datum d) {
  return datum_is_small(d) ? (int32_t)d >> 2 : DATUM_AT(datum_numbers, d >> 2);
}
static inline datum datum_bool(bool b) { return b ? DATUM_TRUE : DATUM_FALSE; }

datum datum_big_number(int64_t i); /* one that does not fit 30 bits */
static inline datum datum_number(int64_t i) {
  datum shifted = (datum)i << 2;
  return (int32_t)shifted >> 2 == i ? shifted : datum_big_number(i);
}
datum datum_text(const char *text, size_t len);
datum datum_symbol(const char *text,
                   size_t len); /* :timed-out, NoSuchElement */
datum datum_list(const datum *items, uint32_t n);
/* Keys and values alternate; sorts `items` by key.  A key that is there twice
 * keeps its last value. */
datum datum_map(datum *items, uint32_t npairs);

/* Frees all that is not small: nobody may hold any. */
void datum_free_all(void);
void datum_free_numbers(void); /* a part of that */

/* A total order that does not depend on addresses: numbers, texts by bytes,
 * lists item by item, maps, the others. */
int datum_order(datum a, datum b);
/* The same in every process. */
uint64_t datum_hash(datum d);
static inline uint64_t datum_hash_number(int64_t i) {
  uint64_t z = (uint64_t)i + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* 1, "text", symbol, [1, 2], {1: 2}, nil, true; nothing for DATUM_NONE. */
void datum_print(datum d, struct buf *out);

#endif
