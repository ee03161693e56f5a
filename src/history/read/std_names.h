/*
 * Names of an STD trace to numbers.  A name of up to eight bytes is its own
 * key, so that most lookups compare one word.
 */
#ifndef HISTORY_READ_STD_NAMES_H
#define HISTORY_READ_STD_NAMES_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

struct name_slot {
  uint64_t key;
  uint32_t len, id; /* len 0: free */
};
struct name_table {
  struct name_slot *slot;
  uint32_t mask, used;
  unsigned shift; /* the first bits of a hash count */
};

struct name_list { /* by number */
  VEC(const char *) text;
};

/* There are eight bytes to read at p. */
static inline uint64_t name_key(const char *p, size_t len) {
  uint64_t word;
  if (len > 8)
    return hash64(p, len, 1);
  memcpy(&word, p, 8);
  return le64toh(word) << (64 - 8 * len);
}

static inline uint32_t name_first(const struct name_table *t, uint64_t key) {
  return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> t->shift);
}

static inline void names_grow(struct name_table *t) {
  struct name_table old = *t;
  t->mask = old.slot ? old.mask * 2 + 1 : 255;
  t->shift = old.slot ? old.shift - 1 : 64 - 8;
  t->slot = xcalloc((size_t)t->mask + 1, sizeof *t->slot);
  for (uint32_t i = 0; old.slot && i <= old.mask; i++) {
    if (!old.slot[i].len)
      continue;
    uint32_t k = name_first(t, old.slot[i].key);
    while (t->slot[k].len)
      k = (k + 1) & t->mask;
    t->slot[k] = old.slot[i];
  }
  free(old.slot);
}

/* Of up to eight bytes; NULL: it was not seen. */
static inline const struct name_slot *name_find(const struct name_table *t,
                                                uint64_t key, uint32_t len) {
  if (!t->slot)
    return NULL;
  uint32_t k = name_first(t, key);
  for (; t->slot[k].len; k = (k + 1) & t->mask)
    if (t->slot[k].key == key && t->slot[k].len == len)
      return &t->slot[k];
  return NULL;
}

/* The number of the name, which is in the list or (*fresh) its new end. */
static inline uint32_t name_number(struct name_table *t, struct name_list *list,
                                   struct arena *a, const char *p, size_t len,
                                   bool *fresh) {
  uint64_t key = name_key(p, len);
  if (2 * t->used >= t->mask)
    names_grow(t);
  uint32_t k = name_first(t, key);
  for (; t->slot[k].len; k = (k + 1) & t->mask) {
    const struct name_slot *s = &t->slot[k];
    if (s->key == key && s->len == len &&
        (len <= 8 || !memcmp(list->text.at[s->id], p, len))) {
      *fresh = false;
      return s->id;
    }
  }
  char *text = arena_alloc(a, len + 1);
  memcpy(text, p, len);
  t->used++;
  t->slot[k] = (struct name_slot){key, (uint32_t)len, list->text.len};
  vec_push(&list->text, text);
  *fresh = true;
  return t->slot[k].id;
}

#endif
