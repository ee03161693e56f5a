/*
 * Names of an STD trace to numbers.  A name of up to eight bytes is its own
 * key, so that most lookups compare one word.
 */
#ifndef HISTORY_READ_STD_NAMES_H
#define HISTORY_READ_STD_NAMES_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"
#include "base/vec.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

struct name_slot {
  uint64_t key;
  uint32_t len, id; /* len 0: free */
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

/* `text`: of a name of more than eight bytes, whose key is a hash. */
struct name_asked {
  uint64_t key;
  uint32_t len;
  const char *text;
};
static inline bool name_table_is_free(const struct name_slot *s) {
  return !s->len;
}
static inline bool name_table_has(void *list, const struct name_slot *s,
                                  struct name_asked n) {
  const struct name_list *l = list;
  return s->key == n.key && s->len == n.len &&
         (n.len <= 8 || !memcmp(l->text.at[s->id], n.text, n.len));
}
/* The first bytes of a key are those of a short name: the upper half of a
 * product depends on them. */
static inline uint32_t name_table_hash(void *list, struct name_asked n) {
  (void)list;
  return (uint32_t)((unsigned __int128)n.key * 0x9e3779b97f4a7c15u >> 64);
}
static inline uint32_t name_table_rehash(void *list,
                                         const struct name_slot *s) {
  return name_table_hash(list, (struct name_asked){.key = s->key});
}
TABLE(name_table, struct name_slot, struct name_asked, 2)

/* Of up to eight bytes; NULL: it was not seen. */
static inline const struct name_slot *name_find(const struct name_table *t,
                                                uint64_t key, uint32_t len) {
  if (!t->slots)
    return NULL;
  const struct name_slot *s =
      name_table_find(t, NULL, (struct name_asked){key, len, NULL});
  return s->len ? s : NULL;
}

/* The number of the name, which is in the list or (*fresh) its new end. */
static inline uint32_t name_number(struct name_table *t, struct name_list *list,
                                   struct arena *a, const char *p, size_t len,
                                   bool *fresh) {
  struct name_asked n = {name_key(p, len), (uint32_t)len, p};
  struct name_slot *s = name_table_put(t, list, n);
  *fresh = !s->len;
  if (!*fresh)
    return s->id;
  char *text = arena_alloc(a, len + 1);
  memcpy(text, p, len);
  *s = (struct name_slot){n.key, n.len, list->text.len};
  t->len++;
  vec_push(&list->text, text);
  return s->id;
}

#endif
