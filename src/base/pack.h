/*
 * Nouns as bytes, for processes that are not believed.  A table says once what
 * a struct is made of; noun_pack writes the bytes of one, noun_unpack makes one
 * of bytes, in an arena.  Pointers and padding do not travel.
 *
 * The reader believes nothing: lengths are compared with the bytes that are
 * there before memory is made, numbers with their bounds, texts have no NUL
 * inside, reals are finite and not negative; what a table cannot say, `sound`
 * says of the whole.
 *
 * (B1) what noun_unpack accepts, noun_pack writes as the same bytes.
 * (B2) the memory that is made is at most NOUN_GROWTH times the bytes, and some
 *      pages.
 *
 * tests/fuzz/answer.c checks B1, tests/random_noun.h both.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOUN_GROWTH = 64 };

enum field_kind {
  FIELD_NUMBER, /* of 1, 2, 4 or 8 bytes; flags and enumerations too */
  FIELD_REAL,
  FIELD_TEXT, /* or NULL */
  FIELD_NAME, /* a text that is not NULL */
  FIELD_NOUN, /* one inside of this */
  FIELD_ONE,  /* a pointer to one, or NULL */
  FIELD_MANY, /* a pointer to several, or NULL */
};

struct noun;

struct field {
  enum field_kind kind;
  uint32_t at, size;
  uint64_t bound;                      /* a number is below it; 0: any */
  uint32_t count_at;                   /* FIELD_MANY: of a uint32_t … */
  uint32_t (*count)(const void *noun); /* … or how many; not NULL */
  const struct noun *of;
};

struct unpacking {
  struct wire from;
  struct arena *to;
};

struct noun {
  uint32_t size;
  const struct field *fields;
  uint32_t nfields;
  /* What is no field, if there is something, comes behind the fields. */
  void (*pack)(const void *noun, struct buf *out);
  void (*unpack)(void *noun, struct unpacking *u);
  /* Of one whose fields are there; may set pointers inside of it. */
  bool (*sound)(void *noun);
};

extern const struct noun noun_u32, noun_text, noun_name; /* one field each */

void noun_pack(const struct noun *n, const void *noun, struct buf *out);

/* In the arena; NULL: these bytes are none. */
void *noun_unpack(const struct noun *n, const void *bytes, size_t len,
                  struct arena *to);

/* ---- for what is no field ---- */

void pack_text(struct buf *out, const char *text); /* or NULL */
char *unpack_text(struct unpacking *u);            /* or NULL, perhaps bad */

#endif
