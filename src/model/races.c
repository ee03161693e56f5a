#include "model/races.h"

const char *const race_letter[RACE_COUNT] = {
#define RACE_LETTER(name, letter) letter,
    RACES(RACE_LETTER)
#undef RACE_LETTER
};
