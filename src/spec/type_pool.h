/*
 * A pool keeps records of one size, each content once: its number is the same
 * whenever the same bytes are asked for.  Numbers begin at 1; 0 is nothing.
 *
 * (P1) records are compared whole, so they have no padding: whoever defines one
 *      asserts that.
 * (P2) no two records are equal, and each is found under its number.
 *
 * What pool_at gives is valid until the next pool_intern.
 */
#ifndef SPEC_TYPE_POOL_H
#define SPEC_TYPE_POOL_H

#include "base/slow.h"
#include "base/table.h"

#include <stddef.h>
#include <stdint.h>

/* A record's number and hash, so that other records are passed by without being
 * looked at; number 0: free. */
struct pool_slot {
  uint32_t number, hash;
};
TABLE_STRUCT(pool_numbers, struct pool_slot);

struct record_pool {
  uint32_t size; /* of a record, a multiple of 8 */
  uint32_t len, cap;
  uint64_t *at;
  struct pool_numbers numbers;
};

static inline void *pool_at(const struct record_pool *p, uint32_t number) {
  check_slow(number && number <= p->len);
  return p->at + (size_t)(number - 1) * (p->size / 8);
}

uint32_t pool_intern(struct record_pool *p, const void *record);

/* The number of records; they are 1 … pool_len. */
static inline uint32_t pool_len(const struct record_pool *p) { return p->len; }

/*
 * Keeps the records whose `keep` is not 0 (of len + 1 entries), in their order;
 * keep[n] becomes the new number of n.  Records that contain numbers are to be
 * put right by `renumber` (NULL: there are none), which sees each kept record
 * after all before it.
 */
void pool_compact(struct record_pool *p, uint32_t *keep,
                  void (*renumber)(void *with, void *record,
                                   const uint32_t *new_number),
                  void *with);

void pool_check_invariants(const struct record_pool *p); /* asserts P2 */
uint64_t pool_bytes(const struct record_pool *p);
void pool_free(struct record_pool *p);

#endif
