#include "base/arena.h"
#include "base/rng.h"
#include "test.h"

#include <stdint.h>

TEST(gives_zeroed_aligned_memory_that_does_not_overlap) {
  enum { N = 2000 };
  static char *at[N];
  static size_t size[N];
  struct arena a = {0};
  struct rng r = {1};
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) {
      size[i] = rng_below(&r, 300);
      at[i] = arena_alloc(&a, size[i]);
      size_t zeros = 0;
      for (size_t k = 0; k < size[i]; k++)
        zeros += !at[i][k];
      if (zeros != size[i] || (uintptr_t)at[i] % 16)
        CHECK_INT(zeros, size[i]), CHECK_INT((uintptr_t)at[i] % 16, 0);
      memset(at[i], i % 255 + 1, size[i]);
    }
    unsigned wrong = 0;
    for (int i = 0; i < N; i++)
      for (size_t k = 0; k < size[i]; k++)
        wrong += (unsigned char)at[i][k] != i % 255 + 1;
    CHECK_INT(wrong, 0);
    arena_reset(&a);
  }
  arena_free(&a);
}

TEST(gives_large_blocks) {
  struct arena a = {0};
  char *p = arena_alloc(&a, 20 << 20);
  p[(20 << 20) - 1] = 1;
  CHECK(arena_alloc(&a, 1) != NULL);
  arena_free(&a);
  CHECK(!a.chunks && !a.next);
}

TEST(a_reset_arena_uses_its_memory_again) {
  struct arena a = {0};
  char *p = arena_alloc(&a, 100);
  arena_reset(&a);
  CHECK(arena_alloc(&a, 100) == p);
  arena_free(&a);
}

TEST(copies) {
  struct arena a = {0};
  int n[3] = {1, 2, 3};
  int *m = arena_copy(&a, n, sizeof n);
  CHECK_INT(m[2], 3);
  CHECK_STR(arena_strdup(&a, "abc"), "abc");
  CHECK_STR(arena_strdup(&a, NULL), NULL);
  CHECK(arena_copy(&a, NULL, 0) != NULL);
  arena_free(&a);
}

TEST(a_fixed_arena_ends_with_null) {
  _Alignas(16) char region[64 + 1];
  struct arena a;
  arena_init_fixed(&a, region + 1, 64); /* unaligned: 15 bytes are lost */
  memset(region, 7, sizeof region);
  char *p = arena_alloc(&a, 17); /* takes 32 */
  CHECK(p == region + 16);
  CHECK_INT(p[16], 0);
  CHECK(arena_alloc(&a, 17) == NULL);
  CHECK(arena_copy(&a, "x", 1) != NULL);
  CHECK(arena_strdup(&a, "x") == NULL);
  arena_reset(&a);
  CHECK(arena_alloc(&a, 48) == region + 16);
  CHECK(arena_alloc(&a, 1) == NULL);
}

TEST_MAIN
