/*
 * places_of(p, c): where a character stands in the 32 bytes at p.  Bit i of
 * the answer is set if p[i] == c.
 *
 *   places_of("T0|w(V1)|345\n…", '|') has the bits 2 and 8.
 *
 * x86-64 compares 16 bytes at once with SSE2.  Other processors take eight
 * bytes in one word.  Both give the same bits: tests/unit/history/places.c.
 */
#ifndef HISTORY_READ_PLACES_H
#define HISTORY_READ_PLACES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { PLACES = 32 };

/* places_of for the eight bytes at p. */
static inline uint32_t places_of_word(const char *p, char c) {
  const uint64_t ones = UINT64_C(0x0101010101010101), lows = ones * 0x7f;
  uint64_t word;
  memcpy(&word, p, 8);
  word = le64toh(word) ^ ones * (unsigned char)c;
  /* The top bit of each byte that is zero.  The usual shorter formula borrows
   * from one byte to the next, and is right about the lowest zero only. */
  uint64_t zeros = ~(((word & lows) + lows) | word | lows);
  /* The product moves bit 8i + 7 to bit 56 + i. */
  return (uint32_t)((zeros >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static inline uint32_t places_by_words(const char *p, char c) {
  return places_of_word(p, c) | places_of_word(p + 8, c) << 8 |
         places_of_word(p + 16, c) << 16 | places_of_word(p + 24, c) << 24;
}

#ifdef __SSE2__
static inline uint32_t places_by_sse2(const char *p, char c) {
  __m128i a = _mm_loadu_si128((const __m128i *)p);
  __m128i b = _mm_loadu_si128((const __m128i *)(p + 16));
  __m128i want = _mm_set1_epi8(c);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, want)) |
         (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(b, want)) << 16;
}
#endif

static inline uint32_t places_of(const char *p, char c) {
#ifdef __SSE2__
  return places_by_sse2(p, c);
#else
  return places_by_words(p, c);
#endif
}

#endif
