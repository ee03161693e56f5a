/* The words of races: their letters, form and order. */
#include "model/races.h"

const char *const race_letter[RACE_COUNT] = {
#define RACE_LETTER(name, letter) letter,
    RACES(RACE_LETTER)
#undef RACE_LETTER
};

bool race_word_is_sound(const uint8_t *word, uint32_t n) {
  for (uint32_t i = 0; i + 1 < n; i++)
    if (word[i] != RACE_WG && word[i] != RACE_BG && word[i] != RACE_WBG)
      return false;
  uint8_t last = n ? word[n - 1] : RACE_NONE;
  return last == RACE_BG || last == RACE_WBG || last == RACE_G;
}

int race_word_compare(const uint8_t *a, uint32_t na, const uint8_t *b,
                      uint32_t nb) {
  if (na != nb)
    return na < nb ? -1 : 1;
  for (uint32_t i = 0; i < na; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}
