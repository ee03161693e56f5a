#include "base/table.h"

#include "base/rng.h"
#include "base/vec.h"
#include "test.h"

/* Numbers of keys that are kept elsewhere, with a hash that collides. */
struct kept {
  VEC(uint64_t) keys;
};

static bool set_is_free(const uint32_t *s) { return !*s; }
static bool set_has(void *ctx, const uint32_t *s, uint64_t key) {
  const struct kept *k = ctx;
  return k->keys.at[*s - 1] == key;
}
static uint32_t set_hash(void *ctx, uint64_t key) {
  (void)ctx;
  return (uint32_t)(key % 97);
}
static uint32_t set_rehash(void *ctx, const uint32_t *s) {
  const struct kept *k = ctx;
  return set_hash(ctx, k->keys.at[*s - 1]);
}
TABLE(set, uint32_t, uint64_t, 3)

static uint32_t number_of(struct set *t, struct kept *k, uint64_t key) {
  uint32_t *s = set_put(t, k, key);
  if (!*s) {
    vec_push(&k->keys, key);
    *s = k->keys.len;
    t->len++;
  }
  return *s - 1;
}

TEST(a_key_has_one_number_whatever_came_between) {
  enum { KEYS = 3000 };
  struct set t = {0};
  struct kept k = {0};
  struct rng r = {5};
  for (int round = 0; round < 20000; round++) {
    uint64_t key = rng_below(&r, KEYS);
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; round % 50 == 0 && i < k.keys.len; i++)
      if (k.keys.at[i] == key)
        before = i;
    uint32_t n = number_of(&t, &k, key);
    CHECK_INT(k.keys.at[n], key);
    if (round % 50 == 0)
      CHECK_INT(n, before == UINT32_MAX ? k.keys.len - 1 : before);
  }
  CHECK_INT(t.len, k.keys.len);
  CHECK(t.len <= KEYS);
  CHECK(t.len <= t.mask / 4 * 3 + 1);
  for (uint64_t key = KEYS; key < 2 * KEYS; key++)
    CHECK(!*set_find(&t, &k, key));
  free(t.slots);
  vec_free(&k.keys);
}

TEST_MAIN
