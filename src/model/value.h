/*
 * A value is what an operation returns, in a form that can be compared, hashed
 * and printed: equal values have equal kind and bits.  Strings are interned:
 * equal texts have equal `bits` within one process.  A pointer is made
 * canonical before it becomes a value, since its address would depend on where
 * the object was loaded; its bits are
 *
 *     0                      NULL
 *     tag 1 (bits 63 … 56)   into a heap block, named by who allocated it:
 *         55 … 40            the client's call + 1; 0: outside of calls
 *         39 … 24            which of that call's allocations, from 0
 *         23 … 0             offset inside the block
 *     tag 2                  into a global; 47 … 0: offset in the module
 *     tag 3                  anything else; 47 … 0: the address as it is
 *
 * A worker's values reach its parent as bytes (nouns.h).  Such a string is not
 * interned in the parent: it can be printed, and compared after value_intern of
 * its text.
 */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
  VALUE_VOID,
  VALUE_BOOL,
  VALUE_INT,     /* bits is an int64_t */
  VALUE_UINT,    /* bits is an uint64_t */
  VALUE_POINTER, /* bits is canonical; 0 is NULL */
  VALUE_STRING,  /* bits is a const char * of an interned string, or 0 */
};

struct value {
  uint64_t kind; /* enum value_kind, 64 bits wide so that there is no padding */
  uint64_t bits;
};

enum value_tag { VALUE_TAG_BLOCK = 1, VALUE_TAG_GLOBAL, VALUE_TAG_OTHER };

static inline struct value value_void(void) {
  return (struct value){VALUE_VOID, 0};
}
static inline struct value value_bool(bool b) {
  return (struct value){VALUE_BOOL, b};
}
static inline struct value value_int(int64_t i) {
  return (struct value){VALUE_INT, (uint64_t)i};
}
static inline struct value value_uint(uint64_t u) {
  return (struct value){VALUE_UINT, u};
}
static inline struct value value_null(void) {
  return (struct value){VALUE_POINTER, 0};
}

/* `owner` is a call's id, or UINT32_MAX: allocated outside of calls.  What does
 * not fit its field becomes the largest number that does. */
struct value value_block(uint32_t owner, uint64_t ordinal, uint64_t offset);
struct value value_global(uint64_t offset);
struct value value_address(uint64_t address); /* 0 gives NULL */
struct value value_string(const char *s);     /* interns; NULL stays NULL */

static inline bool value_equal(struct value a, struct value b) {
  return a.kind == b.kind && a.bits == b.bits;
}

/* Of a string: a hash of its text, the same in every process. */
uint64_t value_text_hash(struct value v);

/* The interned copy of `s`: the same pointer for the same text, for ever. */
const char *value_intern(const char *s);

/*
 * The same value with its text, if it has one, in `a`.  False when the arena is
 * a fixed one and full.
 */
struct arena;
bool value_copy(struct value *to, struct value from, struct arena *a);

/*
 * As C would write it: -1, true, "text", NULL, `&block 0 of call 3`,
 * `&block 1 outside calls + 8`, `&global+0x40`, `0x7ffe10`; nothing for void.
 * A string need not be interned.
 */
void value_print(struct value v, struct buf *out);

#endif
