/*
 * The set of states that were entered: 128-bit hashes, 16 bytes each, in memory
 * that several processes may share.  Hashes are never taken out one by one.
 *
 * The set grows without being rebuilt: there are levels, each 4 or 16 times as
 * large as the one before.  A hash belongs to one bucket (a cache line of four
 * slots) of each level, and is in the first slot on its way through them that
 * was free.  A slot is filled by one compare-and-swap and never emptied, so all
 * processes find the same slot, without a lock.  (A TABLE of base/table.h moves
 * its slots when it grows: others would look for them where they were.)
 *
 *     level 0  [a b c d] full    e goes on to its bucket of level 1
 *     level 1  [e . . .]
 *
 * (V1) a hash is in one slot; exactly one visited_put says that it is fresh.
 * (V2) its place never changes: it serves as the state's number.
 */
#ifndef SEARCH_VISITED_H
#define SEARCH_VISITED_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VISITED_LEVELS = 7 };
#define VISITED_FULL UINT32_MAX
#define VISITED_BITS 27 /* of a place */

struct visited {
  struct hash128 *level[VISITED_LEVELS];
  uint32_t levels;
  uint32_t deepest; /* that this process has looked at */
  bool own;         /* no other process uses it */
};

/* Bytes for about so many states; 0: for as many as there can be. */
size_t visited_span(uint64_t states);
/* In memory of that size, which is zero. */
void visited_at(struct visited *v, void *memory, uint64_t states);
/* In memory of this process alone. */
void visited_map(struct visited *v, uint64_t states);
void visited_unmap(struct visited *v);
/* Maps the set, which is empty, anew if it is too small or not mapped. */
void visited_for(struct visited *v, uint64_t states);

/* The place of the hash, or VISITED_FULL. */
uint32_t visited_put(struct visited *v, struct hash128 h, bool *fresh);

/* Back to the empty set; no other process uses it now. */
void visited_clear(struct visited *v);

/* Memory that so many states take, about and not less. */
uint64_t visited_bytes(const struct visited *v, uint64_t states);

/* Asserts V1 and V2; no other process uses it now. */
void visited_check_invariants(struct visited *v);

#endif
