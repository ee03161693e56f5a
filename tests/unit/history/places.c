/* The two ways to find a character in 32 bytes give the same bits. */
#include "history/read/places.h"

#include "base/rng.h"
#include "test.h"

static uint32_t one_by_one(const char *p, char c) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < PLACES; i++)
    bits |= (uint32_t)(p[i] == c) << i;
  return bits;
}

static void agree(const char *p, char c) {
  uint32_t want = one_by_one(p, c);
  CHECK_INT(places_by_words(p, c), want);
#ifdef __SSE2__
  CHECK_INT(places_by_sse2(p, c), want);
#endif
  CHECK_INT(places_of(p, c), want);
}

TEST(finds_the_bars_of_a_line) {
  const char *line = "T0|w(V1)|345\nT1|r(V1)|12\n.......";
  CHECK_INT(places_by_words(line, '|'), 1 << 2 | 1 << 8 | 1 << 15 | 1 << 21);
  agree(line, '|');
  agree(line, '\n');
}

/* Neighbours of a hit that differ from it in the lowest or the highest bit:
 * there a borrow or a carry between bytes would show. */
TEST(a_hit_does_not_touch_its_neighbours) {
  static const unsigned char chars[] = {0, 1, '|', 0x7f, 0x80, 0xff};
  for (size_t k = 0; k < sizeof chars; k++)
    for (unsigned i = 0; i < PLACES; i++) {
      char text[PLACES];
      static const unsigned char flips[] = {1, 0x80, 0xff};
      for (size_t f = 0; f < sizeof flips; f++) {
        memset(text, chars[k] ^ flips[f], sizeof text);
        text[i] = (char)chars[k];
        agree(text, (char)chars[k]);
      }
    }
}

TEST(all_agree_on_random_bytes) {
  struct rng r = {18};
  for (int round = 0; round < 20000; round++) {
    char text[PLACES];
    for (unsigned i = 0; i < PLACES; i++)
      text[i] = (char)(rng_below(&r, 4) ? rng_below(&r, 256) : '|');
    agree(text, round % 2 ? '|' : text[round % PLACES]);
  }
}

TEST_MAIN
