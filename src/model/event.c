/* The columns of the table of event kinds. */
#include "model/event.h"

const char *const event_word[EV_COUNT] = {
#define EVENT_WORD(name, word, reads, writes) [EV_##name] = word,
    EVENTS(EVENT_WORD)
#undef EVENT_WORD
};

const uint8_t event_reads[EV_COUNT] = {
#define EVENT_READS(name, word, reads, writes) [EV_##name] = reads,
    EVENTS(EVENT_READS)
#undef EVENT_READS
};

const uint8_t event_writes[EV_COUNT] = {
#define EVENT_WRITES(name, word, reads, writes) [EV_##name] = writes,
    EVENTS(EVENT_WRITES)
#undef EVENT_WRITES
};
