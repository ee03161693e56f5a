/* The names of verdicts and faults. */
#include "model/verdict.h"

const char *const verdict_name[] = {
    [VERDICT_PASS] = "pass",
    [VERDICT_VIOLATION] = "violation",
    [VERDICT_ERROR] = "error",
    [VERDICT_UNKNOWN] = "unknown",
};

const char *const fault_id[FAULT_COUNT] = {
#define FAULT_ID(name, id, words) [FAULT_##name] = id,
    FAULTS(FAULT_ID)
#undef FAULT_ID
};

const char *const fault_words[FAULT_COUNT] = {
#define FAULT_WORDS(name, id, words) [FAULT_##name] = words,
    FAULTS(FAULT_WORDS)
#undef FAULT_WORDS
};
