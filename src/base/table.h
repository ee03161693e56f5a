/*
 * A hash table, made for a type of slots: open addressing, linear probing, a
 * power of two of slots, of which some quarters may be full.  Nothing is taken
 * out.
 *
 *   struct word { const char *text; uint32_t n; };     free: all zero
 *   static bool words_is_free(const struct word *s) { return !s->text; }
 *   static bool words_has(void *ctx, const struct word *s, const char *key);
 *   static uint32_t words_hash(void *ctx, const char *key);
 *   static uint32_t words_rehash(void *ctx, const struct word *s);
 *   TABLE(words, struct word, const char *, 2)          at most half full
 *
 * makes struct words and its functions; {0} is an empty table, and free() of
 * its slots ends it:
 *
 *   words_find(t, ctx, key)   the slot of the key, or a free one; t has slots
 *   words_put(t, ctx, key)    the same, with room for it: who fills a free slot
 *                             adds one to t->len at once
 *   words_grow(t, ctx)
 *   words_clear(t)            forgets all keys
 *   words_restart(t, n)       the same, with as many slots as n keys need
 *   words_bytes(t)            of its slots
 *
 * `ctx` is for slots that are numbers of things kept elsewhere.  A table that
 * is a part of its own `ctx` is made by two halves, TABLE_STRUCT(words, struct
 * word) before and TABLE_CODE(words, struct word, const char *, 2) behind the
 * definition of that.  Slots move when a table grows.  Hashes are taken as well
 * mixed in their low bits.
 *
 * (Y1) a key is in one slot at most.
 * (Y2) between the slot of a key and the place of its hash none is free.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/err.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_FIRST = 64 };

#define TABLE(NAME, SLOT, KEY, QUARTERS)                                       \
  TABLE_STRUCT(NAME, SLOT);                                                    \
  TABLE_CODE(NAME, SLOT, KEY, QUARTERS)

#define TABLE_STRUCT(NAME, SLOT)                                               \
  struct NAME {                                                                \
    SLOT *slots;                                                               \
    uint32_t mask, len; /* mask: how many slots there are, less one */         \
  }

#define TABLE_CODE(NAME, SLOT, KEY, QUARTERS)                                  \
  static inline SLOT *NAME##_find(const struct NAME *t, void *ctx, KEY key) {  \
    uint32_t i = NAME##_hash(ctx, key) & t->mask;                              \
    while (!NAME##_is_free(&t->slots[i]) &&                                    \
           !NAME##_has(ctx, &t->slots[i], key))                                \
      i = (i + 1) & t->mask; /* Y2 */                                          \
    return &t->slots[i];                                                       \
  }                                                                            \
                                                                               \
  __attribute__((noinline)) static void NAME##_grow(struct NAME *t,            \
                                                    void *ctx) {               \
    struct NAME old = *t;                                                      \
    uint32_t n = old.slots ? old.mask + 1 : 0, full = 0;                       \
    if (n > UINT32_MAX / 2)                                                    \
      die("a table is full (%u entries)", old.len);                            \
    /* The table stays as it was if there is no memory: a library goes on. */  \
    uint32_t mask = n ? 2 * n - 1 : TABLE_FIRST - 1;                           \
    SLOT *slots = xcalloc((size_t)mask + 1, sizeof *slots);                    \
    *t = (struct NAME){slots, mask, old.len};                                  \
    for (uint32_t k = 0; k < n; k++) {                                         \
      if (NAME##_is_free(&old.slots[k]))                                       \
        continue;                                                              \
      uint32_t i = NAME##_rehash(ctx, &old.slots[k]) & t->mask;                \
      while (!NAME##_is_free(&t->slots[i]))                                    \
        i = (i + 1) & t->mask;                                                 \
      t->slots[i] = old.slots[k];                                              \
      full++;                                                                  \
    }                                                                          \
    assert(full == old.len); /* Y1, and that len was kept */                   \
    free(old.slots);                                                           \
  }                                                                            \
                                                                               \
  static inline SLOT *NAME##_put(struct NAME *t, void *ctx, KEY key) {         \
    if (!t->slots || t->len > t->mask / 4 * QUARTERS)                          \
      NAME##_grow(t, ctx);                                                     \
    return NAME##_find(t, ctx, key);                                           \
  }                                                                            \
                                                                               \
  static inline void NAME##_clear(struct NAME *t) {                            \
    if (t->len)                                                                \
      memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);           \
    t->len = 0;                                                                \
  }                                                                            \
                                                                               \
  static inline void NAME##_restart(struct NAME *t, uint32_t n) {              \
    uint32_t mask = TABLE_FIRST - 1;                                           \
    while (n > mask / 4 * QUARTERS)                                            \
      mask = 2 * mask + 1;                                                     \
    SLOT *slots = xcalloc((size_t)mask + 1, sizeof *slots);                    \
    free(t->slots);                                                            \
    *t = (struct NAME){slots, mask, 0};                                        \
  }                                                                            \
                                                                               \
  static inline uint64_t NAME##_bytes(const struct NAME *t) {                  \
    return t->slots ? ((uint64_t)t->mask + 1) * sizeof *t->slots : 0;          \
  }

#endif
