/*
 * A hash table from 128-bit hashes to 32-bit values: visited sets and memo
 * tables.  Open addressing, linear probing, at most 3/4 full.  Keys are taken
 * as already well mixed.  Clearing costs O(1) (an epoch), so that a table can
 * serve many small phases; it is no TABLE of table.h since whether a slot is
 * free depends on that.  (M1) a key is stored at most once per epoch.
 */
#ifndef BASE_MAP128_H
#define BASE_MAP128_H

#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

struct map128_slot {
  struct hash128 key;
  uint32_t value;
  uint32_t epoch;
};

struct map128 {
  struct map128_slot *slots;
  uint32_t cap, len, epoch; /* cap is 0 or a power of two */
};

/*
 * The value slot of `key`; *fresh tells whether it was just added (then the
 * value is 0).  The pointer is valid until the next call.
 */
uint32_t *map128_put(struct map128 *m, struct hash128 key, bool *fresh);
uint32_t *map128_get(const struct map128 *m, struct hash128 key); /* or NULL */
void map128_clear(struct map128 *m);
void map128_free(struct map128 *m);
static inline uint64_t map128_bytes(const struct map128 *m) {
  return (uint64_t)m->cap * sizeof *m->slots;
}
/* For limits of memory: when it will soon grow, with the larger table that is
 * then beside it. */
static inline uint64_t map128_bytes_soon(const struct map128 *m) {
  return m->len > m->cap / 8 * 5 ? 3 * map128_bytes(m) : map128_bytes(m);
}

#endif
