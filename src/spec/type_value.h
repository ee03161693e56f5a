/*
 * The values that one cell can hold, as numbers: whole data, and texts and
 * lists that appends have built, of which each shares all but its last piece
 * with the one before.
 *
 * Without appends a value is looked up by its word, which is exact.  With them
 * it is looked up by its content, however it was pieced together: kind, length
 * and its polynomial at two fixed points modulo 2^61 - 1 (see type_chain.h for
 * what that means).
 *
 * Value 0 is the one that was given to values_init.
 *
 * (V1) a value stands behind the one that it was appended to.
 * (V2) a value is found under its number.
 */
#ifndef SPEC_TYPE_VALUE_H
#define SPEC_TYPE_VALUE_H

#include "base/map128.h"
#include "base/vec.h"
#include "model/datum.h"

struct value_piece {
  datum piece;     /* the last piece, or the whole */
  uint32_t before; /* a number; UINT32_MAX: nothing stands before the piece */
  uint8_t kind;    /* enum datum_kind of the whole */
  uint64_t len;    /* bytes, or items */
  uint64_t hash[2];
};

struct values {
  bool appends;
  VEC(struct value_piece) pieces;
  struct map128 by_word, by_content;
};

void values_init(struct values *v, datum initial, bool appends);
void values_free(struct values *v);
void values_check_invariants(struct values *v); /* asserts V1, V2 */
uint64_t values_bytes(const struct values *v);

uint32_t value_number(struct values *v, datum d);
/* Text behind text; or one item behind a list.  UINT32_MAX: what is there is
 * neither a text nor, with `item`, a list. */
uint32_t value_append(struct values *v, uint32_t value, datum d, bool item);

/* The whole as one datum, made if necessary. */
datum value_datum(struct values *v, uint32_t value);

void values_forget(struct values *v, uint32_t *keep, uint32_t n);

#endif
