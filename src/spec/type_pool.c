/*
 * A pool is an array of records and a hash table of their numbers.
 */
#include "spec/type_pool.h"

#include "base/err.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 m =
      (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
  return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Records are a few words: cheaper than a general hash, and inlined. */
static uint32_t hash(const struct record_pool *p, const uint64_t *record) {
  uint64_t h = 0x2545f4914f6cdd1du;
  for (uint32_t i = 0; i < p->size / 8; i++)
    h = mix(h, record[i] + i);
  return (uint32_t)(h >> 32);
}

struct pool_key {
  const uint64_t *record;
  uint32_t hash;
};

static struct pool_key key_of(const struct record_pool *p,
                              const uint64_t *record) {
  return (struct pool_key){record, hash(p, record)};
}

static bool pool_numbers_is_free(const struct pool_slot *s) {
  return !s->number;
}
static bool pool_numbers_has(void *ctx, const struct pool_slot *s,
                             struct pool_key key) {
  const struct record_pool *p = ctx;
  return s->hash == key.hash &&
         !memcmp(pool_at(p, s->number), key.record, p->size);
}
static uint32_t pool_numbers_hash(void *ctx, struct pool_key key) {
  (void)ctx;
  return key.hash;
}
static uint32_t pool_numbers_rehash(void *ctx, const struct pool_slot *s) {
  (void)ctx;
  return s->hash;
}
TABLE_CODE(pool_numbers, struct pool_slot, struct pool_key, 3)

static void number(struct record_pool *p, struct pool_slot *slot, uint32_t n,
                   struct pool_key key) {
  *slot = (struct pool_slot){n, key.hash};
  p->numbers.len++;
}

uint32_t pool_intern(struct record_pool *p, const void *record) {
  struct pool_key key = key_of(p, record);
  struct pool_slot *slot = pool_numbers_put(&p->numbers, p, key);
  if (slot->number)
    return slot->number;
  if (p->len == p->cap) {
    p->cap = p->cap ? p->cap + p->cap / 2 : 8;
    p->at = xrealloc(p->at, (size_t)p->cap * p->size);
  }
  p->len++;
  assert(p->len < UINT32_MAX / 2);
  memcpy(pool_at(p, p->len), record, p->size);
  number(p, slot, p->len, key);
  return p->len;
}

/* After records have moved. */
static void number_all(struct record_pool *p) {
  pool_numbers_restart(&p->numbers, p->len);
  for (uint32_t n = 1; n <= p->len; n++) {
    struct pool_key key = key_of(p, pool_at(p, n));
    number(p, pool_numbers_find(&p->numbers, p, key), n, key);
  }
}

void pool_compact(struct record_pool *p, uint32_t *keep,
                  void (*renumber)(void *with, void *record,
                                   const uint32_t *new_number),
                  void *with) {
  uint32_t kept = 0;
  for (uint32_t n = 1; n <= p->len; n++) {
    if (!keep[n])
      continue;
    keep[n] = ++kept;
    memmove(pool_at(p, kept), pool_at(p, n), p->size);
    if (renumber)
      renumber(with, pool_at(p, kept), keep);
  }
  p->len = kept;
  if (p->cap / 4 > kept + 8) {
    p->cap = kept + 8;
    p->at = xrealloc(p->at, (size_t)p->cap * p->size);
  }
  number_all(p);
  check_slow((pool_check_invariants(p), true));
}

void pool_check_invariants(const struct record_pool *p) {
  for (uint32_t n = 1; n <= p->len; n++) {
    struct pool_key key = key_of(p, pool_at(p, n));
    assert(pool_numbers_find(&p->numbers, (void *)p, key)->number ==
           n); /* P2 */
  }
}

uint64_t pool_bytes(const struct record_pool *p) {
  return (uint64_t)p->cap * p->size + pool_numbers_bytes(&p->numbers);
}

void pool_free(struct record_pool *p) {
  free(p->at);
  free(p->numbers.slots);
  *p = (struct record_pool){.size = p->size};
}
