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
static uint64_t hash(const struct record_pool *p, const uint64_t *record) {
  uint64_t h = 0x2545f4914f6cdd1du;
  for (uint32_t i = 0; i < p->size / 8; i++)
    h = mix(h, record[i] + i);
  return h;
}

static struct pool_slot *slot_of(const struct record_pool *p,
                                 const uint64_t *record, uint64_t hash) {
  uint32_t mask = p->nslots - 1;
  for (uint32_t i = (uint32_t)(hash >> 32) & mask;; i = (i + 1) & mask) {
    struct pool_slot *s = &p->slots[i];
    if (!s->number || (s->hash == (uint32_t)hash &&
                       !memcmp(pool_at(p, s->number), record, p->size)))
      return s;
  }
}

static void rehash(struct record_pool *p, uint32_t nslots) {
  free(p->slots);
  p->slots = xcalloc(nslots, sizeof *p->slots);
  p->nslots = nslots;
  for (uint32_t n = 1; n <= p->len; n++) {
    uint64_t h = hash(p, pool_at(p, n));
    *slot_of(p, pool_at(p, n), h) = (struct pool_slot){n, (uint32_t)h};
  }
}

uint32_t pool_intern(struct record_pool *p, const void *record) {
  if (p->len >= p->nslots / 3 * 2)
    rehash(p, p->nslots ? p->nslots * 2 : 16);
  uint64_t h = hash(p, record);
  struct pool_slot *slot = slot_of(p, record, h);
  if (slot->number)
    return slot->number;
  if (p->len == p->cap) {
    p->cap = p->cap ? p->cap + p->cap / 2 : 8;
    p->at = xrealloc(p->at, (size_t)p->cap * p->size);
  }
  p->len++;
  assert(p->len < UINT32_MAX / 2);
  memcpy(pool_at(p, p->len), record, p->size);
  *slot = (struct pool_slot){p->len, (uint32_t)h};
  return p->len;
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
  uint32_t nslots = 16;
  while (kept >= nslots / 3 * 2)
    nslots *= 2;
  if (p->cap / 4 > kept + 8) {
    p->cap = kept + 8;
    p->at = xrealloc(p->at, (size_t)p->cap * p->size);
  }
  rehash(p, nslots);
  check_slow((pool_check_invariants(p), true));
}

void pool_check_invariants(const struct record_pool *p) {
  for (uint32_t n = 1; n <= p->len; n++) {
    const uint64_t *record = pool_at(p, n);
    assert(slot_of(p, record, hash(p, record))->number == n); /* P2 */
  }
}

uint64_t pool_bytes(const struct record_pool *p) {
  return (uint64_t)p->cap * p->size + (uint64_t)p->nslots * sizeof *p->slots;
}

void pool_free(struct record_pool *p) {
  free(p->at);
  free(p->slots);
  *p = (struct record_pool){.size = p->size};
}
