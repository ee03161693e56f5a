#include "base/vec.h"
#include "base/rng.h"
#include "test.h"

TEST(a_vector_keeps_its_elements_in_order) {
  VEC(int) v = {0};
  for (int i = 0; i < 1000; i++)
    vec_push(&v, i * 3);
  CHECK_INT(v.len, 1000);
  unsigned wrong = 0;
  for (int i = 0; i < 1000; i++)
    wrong += v.at[i] != i * 3;
  CHECK_INT(wrong, 0);
  CHECK_INT(vec_last(&v), 2997);
  CHECK_INT(vec_pop(&v), 2997);
  CHECK_INT(v.len, 999);
  vec_clear(&v);
  CHECK_INT(v.len, 0);
  CHECK(v.cap >= 1000);
  vec_free(&v);
  CHECK(!v.at && !v.cap);
}

TEST(random_numbers_follow_from_the_seed) {
  struct rng a = {7}, b = {7}, c = {8};
  unsigned same = 0, other = 0, seen[6] = {0};
  for (int i = 0; i < 600; i++) {
    uint64_t x = rng_next(&a);
    same += x == rng_next(&b);
    other += x == rng_next(&c);
    uint64_t d = rng_below(&a, 6);
    rng_below(&b, 6);
    rng_below(&c, 6);
    if (CHECK(d < 6))
      seen[d]++;
  }
  CHECK_INT(same, 600);
  CHECK_INT(other, 0);
  for (int i = 0; i < 6; i++)
    CHECK(seen[i] > 50 && seen[i] < 150);
  /* The published first output of splitmix64 for seed 0. */
  struct rng zero = {0};
  CHECK(rng_next(&zero) == 0xe220a8397b1dcdafu);
}

TEST_MAIN
