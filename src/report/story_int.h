/* Between the files that make a story; nobody else includes this. */
#ifndef REPORT_STORY_INT_H
#define REPORT_STORY_INT_H

#include "report/story.h"

extern const struct place story_nowhere;

/* The texts of an event and the rows of the execution (story_rows.c). */
void story_make_rows(struct story *s, const struct story_namer *n);

/* The answer: place, message, notes (story_answer.c). */
void story_make_answer(struct story *s, const struct story_namer *n);

/* The name of a lock or the like: the location without the private fields of
 * the C library (`q->lock.__data.__lock` is q->lock to its owner). */
void story_put_lock(const struct story_namer *n, uint64_t addr, uint64_t size,
                    uint32_t at, struct buf *out);

/*
 * The place of `pc`, which is nested in the calls of `chain`, as its author
 * would name it: the innermost one outside of system headers.  Only when there
 * is none, that of the header.
 */
const struct place *story_place(const struct story *s,
                                const struct story_namer *n, uint64_t pc,
                                uint32_t chain);

/* Keeps the buffer's text in the story and empties the buffer. */
const char *story_keep(struct story *s, struct buf *b);

#endif
