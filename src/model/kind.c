/* The names of the kinds of fault. */
#include "model/kind.h"

const char *const kind_id[KIND_COUNT] = {
#define KIND_ID(name, id, words, marks) id,
    KINDS(KIND_ID)};
const char *const kind_words[KIND_COUNT] = {
#define KIND_WORDS(name, id, words, marks) words,
    KINDS(KIND_WORDS)};
const uint8_t kind_marks[KIND_COUNT] = {
#define KIND_MARKS(name, id, words, marks) marks,
    KINDS(KIND_MARKS)};
