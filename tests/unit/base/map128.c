#include "base/map128.h"
#include "base/rng.h"
#include "test.h"

#include <stdlib.h>

static struct hash128 key(uint64_t n) { return hash128(&n, sizeof n, 0); }

TEST(an_empty_map_has_nothing) {
  struct map128 m = {0};
  CHECK(!map128_get(&m, key(1)));
  map128_clear(&m);
  CHECK(!map128_get(&m, key(1)));
  CHECK_INT(map128_bytes(&m), 0);
  map128_free(&m);
}

TEST(keeps_values_while_it_grows) {
  struct map128 m = {0};
  bool fresh;
  enum { N = 100000 };
  for (uint32_t i = 0; i < N; i++) {
    uint32_t *v = map128_put(&m, key(i), &fresh);
    if (!fresh || *v)
      CHECK(fresh), CHECK_INT(*v, 0);
    *v = i + 1;
  }
  CHECK_INT(m.len, N);
  CHECK(m.len <= m.cap / 4 * 3);
  unsigned wrong = 0;
  for (uint32_t i = 0; i < N; i++) {
    uint32_t *got = map128_get(&m, key(i)),
             *put = map128_put(&m, key(i), &fresh);
    wrong += !got || *got != i + 1 || put != got || fresh;
    wrong += map128_get(&m, key(N + i)) != NULL;
  }
  CHECK_INT(wrong, 0);
  CHECK_INT(m.len, N);
  map128_free(&m);
}

TEST(keys_that_collide_are_kept_apart) {
  struct map128 m = {0};
  bool fresh;
  for (uint32_t i = 0; i < 40; i++)
    *map128_put(&m, (struct hash128){63, i}, &fresh) = i;
  unsigned wrong = 0;
  for (uint32_t i = 0; i < 40; i++) {
    uint32_t *v = map128_get(&m, (struct hash128){63, i});
    wrong += !v || *v != i;
  }
  CHECK_INT(wrong, 0);
  CHECK(!map128_get(&m, (struct hash128){63, 40}));
  map128_free(&m);
}

TEST(the_zero_key_is_a_key) {
  struct map128 m = {0};
  bool fresh;
  *map128_put(&m, key(1), &fresh) = 1;
  CHECK(!map128_get(&m, (struct hash128){0, 0}));
  *map128_put(&m, (struct hash128){0, 0}, &fresh) = 5;
  CHECK(fresh);
  uint32_t *v = map128_get(&m, (struct hash128){0, 0});
  CHECK(v && *v == 5);
  map128_free(&m);
}

TEST(clearing_forgets_everything_and_keeps_the_table) {
  struct map128 m = {0};
  bool fresh;
  for (unsigned round = 0; round < 200; round++) {
    for (uint32_t i = 0; i < 50; i++) {
      uint32_t *v = map128_put(&m, key(i), &fresh);
      if (!fresh || *v)
        CHECK(fresh), CHECK_INT(*v, 0);
      *v = round + 1;
    }
    map128_clear(&m);
    CHECK(!map128_get(&m, key(3)));
  }
  CHECK_INT(m.cap, 128);
  map128_free(&m);
}

TEST(old_entries_stay_dead_when_the_epoch_wraps) {
  struct map128 m = {0};
  bool fresh;
  *map128_put(&m, key(1), &fresh) = 1; /* in epoch 1 */
  m.epoch = UINT32_MAX;
  m.len = 0;
  *map128_put(&m, key(2), &fresh) = 2;
  map128_clear(&m);
  CHECK_INT(m.epoch, 1);
  map128_put(&m, key(3), &fresh);
  CHECK(!map128_get(&m, key(1)));
  CHECK(!map128_get(&m, key(2)));
  map128_free(&m);
}

/* Against an array, over random puts, gets and clears. */
/* While it grows there are two tables: limits of memory hear of it before. */
TEST(growth_is_counted_before_it_comes) {
  struct map128 m = {0};
  uint64_t said = 0;
  for (uint64_t n = 0; n < 100000; n++) {
    bool fresh;
    uint32_t cap = m.cap;
    map128_put(&m, key(n), &fresh);
    if (cap && m.cap != cap) {
      CHECK(said >= ((uint64_t)cap + m.cap) * sizeof *m.slots);
      CHECK(map128_bytes_soon(&m) == map128_bytes(&m));
    }
    said = map128_bytes_soon(&m);
  }
  map128_free(&m);
}

TEST(agrees_with_an_array) {
  enum { KEYS = 500 };
  static int64_t have[KEYS]; /* value, or -1 */
  memset(have, -1, sizeof have);
  struct map128 m = {0};
  struct rng r = {42};
  unsigned wrong = 0, len = 0;
  for (int step = 0; step < 200000; step++) {
    uint64_t k = rng_below(&r, KEYS);
    if (rng_below(&r, 2000) == 0) {
      map128_clear(&m);
      memset(have, -1, sizeof have);
      len = 0;
    } else if (rng_below(&r, 2)) {
      bool fresh;
      uint32_t *v = map128_put(&m, key(k), &fresh);
      wrong += fresh != (have[k] < 0) || *v != (have[k] < 0 ? 0 : have[k]);
      len += fresh;
      have[k] = *v = (uint32_t)rng_next(&r) >> 1;
    } else {
      uint32_t *v = map128_get(&m, key(k));
      wrong += v ? *v != have[k] : have[k] >= 0;
    }
    wrong += m.len != len;
  }
  CHECK_INT(wrong, 0);
  map128_free(&m);
}

TEST_MAIN
