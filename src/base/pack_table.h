/* The tables of nouns (pack.h), a line a field. */
#ifndef BASE_PACK_TABLE_H
#define BASE_PACK_TABLE_H

#include "base/pack.h"

#define FIELD_OF(T, f, k)                                                      \
  .kind = k, .at = offsetof(T, f), .size = sizeof(((T *)0)->f)
#define NUMBER(T, f)                                                           \
  { FIELD_OF(T, f, FIELD_NUMBER) }
#define BELOW(T, f, n)                                                         \
  { FIELD_OF(T, f, FIELD_NUMBER), .bound = (n) }
#define FLAG(T, f) BELOW(T, f, 2)
#define REAL(T, f)                                                             \
  { FIELD_OF(T, f, FIELD_REAL) }
#define TEXT(T, f)                                                             \
  { FIELD_OF(T, f, FIELD_TEXT) }
#define NAME(T, f)                                                             \
  { FIELD_OF(T, f, FIELD_NAME) }
#define INSIDE(T, f, noun)                                                     \
  { FIELD_OF(T, f, FIELD_NOUN), .of = &(noun) }
#define ONE(T, f, noun)                                                        \
  { FIELD_OF(T, f, FIELD_ONE), .of = &(noun) }
#define MANY(T, f, n, noun)                                                    \
  { FIELD_OF(T, f, FIELD_MANY), .count_at = offsetof(T, n), .of = &(noun) }
#define LIST(T, v, noun) MANY(T, v.at, v.len, noun) /* a VEC */
/* As many as a function of the fields before says. */
#define AS_MANY(T, f, fn, noun)                                                \
  { FIELD_OF(T, f, FIELD_MANY), .count = (fn), .of = &(noun) }

#define NOUN(T, table)                                                         \
  .size = sizeof(T), .fields = (table),                                        \
  .nfields = sizeof(table) / sizeof *(table)

#endif
