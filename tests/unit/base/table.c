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

TEST(a_table_that_forgets_its_keys_numbers_them_anew) {
  struct set t = {0};
  struct kept k = {0};
  CHECK_INT(set_bytes(&t), 0);
  set_clear(&t);
  for (uint32_t round = 0; round < 6; round++) {
    uint32_t n = round % 2 ? 10 : 2000;
    for (uint64_t key = 0; key < n; key++)
      CHECK_INT(number_of(&t, &k, 3 * key), key);
    CHECK_INT(t.len, n);
    uint32_t *slots = t.slots;
    if (round < 3)
      set_clear(&t);
    else
      set_restart(&t, n);
    CHECK(round >= 3 || slots == t.slots);
    vec_clear(&k.keys);
    CHECK_INT(t.len, 0);
    for (uint64_t key = 0; key < n; key++)
      CHECK(!*set_find(&t, &k, 3 * key));
  }
  free(t.slots);
  vec_free(&k.keys);
}

TEST(as_many_slots_are_made_as_keys_need) {
  for (uint32_t n = 0; n < 3000; n += 7) {
    struct set t = {0};
    struct kept k = {0};
    set_restart(&t, n);
    uint64_t bytes = set_bytes(&t);
    CHECK(bytes == TABLE_FIRST * sizeof *t.slots || bytes < 16ull * n);
    for (uint64_t key = 0; key < n; key++)
      number_of(&t, &k, key);
    CHECK_INT(set_bytes(&t), bytes);
    free(t.slots);
    vec_free(&k.keys);
  }
}

TEST_MAIN
