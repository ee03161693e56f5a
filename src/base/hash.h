/* Hashing of bytes: XXH3, 64 and 128 bits. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdbool.h>
#include <stdint.h>

struct hash128 {
  uint64_t lo, hi;
};

static inline uint64_t hash64(const void *p, size_t n, uint64_t seed) {
  return XXH3_64bits_withSeed(p, n, seed);
}

static inline struct hash128 hash128(const void *p, size_t n, uint64_t seed) {
  XXH128_hash_t h = XXH3_128bits_withSeed(p, n, seed);
  return (struct hash128){h.low64, h.high64};
}

#ifdef __x86_64__
struct hash128 hash128_avx2(const void *p, size_t n); /* hash_avx2.c */
#endif

/* hash128(p, n, 0), of many bytes. */
static inline struct hash128 hash128_long(const void *p, size_t n) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return hash128_avx2(p, n);
#endif
  return hash128(p, n, 0);
}

static inline bool hash128_equal(struct hash128 a, struct hash128 b) {
  return a.lo == b.lo && a.hi == b.hi;
}

/* Order-sensitive combination: hash of the sequence (a, b). */
static inline struct hash128 hash128_join(struct hash128 a, struct hash128 b) {
  struct hash128 both[2] = {a, b};
  return hash128(both, sizeof both, 0);
}

#endif
