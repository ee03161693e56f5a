/*
 * Sequences as polynomials, evaluated at two fixed points modulo the prime
 * 2^61 - 1: the empty one is 0, and what stands last has the power 0.
 */
#ifndef SPEC_TYPE_POLY_H
#define SPEC_TYPE_POLY_H

#include <stdint.h>

#define POLY_PRIME ((UINT64_C(1) << 61) - 1)

static const uint64_t POLY_POINT[2] = {UINT64_C(0x1b8735939e3779b1),
                                       UINT64_C(0x0c2b2ae3d27d4eb4)};

static inline uint64_t poly_add(uint64_t a, uint64_t b) {
  uint64_t s = a + b;
  return s >= POLY_PRIME ? s - POLY_PRIME : s;
}

static inline uint64_t poly_subtract(uint64_t a, uint64_t b) {
  return a >= b ? a - b : a + POLY_PRIME - b;
}

static inline uint64_t poly_multiply(uint64_t a, uint64_t b) {
  unsigned __int128 m = (unsigned __int128)a * b;
  return poly_add((uint64_t)m & POLY_PRIME, (uint64_t)(m >> 61));
}

/* a to the n. */
static inline uint64_t poly_raise(uint64_t a, uint64_t n) {
  uint64_t result = 1;
  for (; n; n >>= 1, a = poly_multiply(a, a))
    if (n & 1)
      result = poly_multiply(result, a);
  return result;
}

/* The coefficient of an element: one word gives two that are unrelated. */
static inline uint64_t poly_of(uint64_t word, int which) {
  uint64_t z = word + (which ? 0x9e3779b97f4a7c15u : 0x632be59bd9b4e019u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return poly_add(z & POLY_PRIME, z >> 61);
}

/* The sequence with one more element behind. */
static inline uint64_t poly_push(uint64_t poly, uint64_t of, int which) {
  return poly_add(poly_multiply(poly, POLY_POINT[which]), of);
}

#endif
