/*
 * A store to a bit field.  The processor has none: the code reads the bytes
 * that hold the field, changes some bits and writes the bytes back, and what
 * another thread writes to a neighbouring field in between is lost.  gcc gives
 * such a store one hook, that of a write, before all of it.
 */
#ifndef MODEL_PART_STORE_H
#define MODEL_PART_STORE_H

#include "base/vec.h"

#include <stdint.h>

struct part_store {
  uint64_t pc; /* where the hook returns to, from the object's base */
  /* The bytes that are read and written back, from the hook's address on; size
   * 0: all that the hook names. */
  uint32_t offset, size;
};
typedef VEC(struct part_store) part_store_list;

#endif
