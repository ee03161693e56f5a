/*
 * What the author wrote at a place, as words for a sentence: blanks and line
 * ends are one blank.  Nothing is said that is not certain, or too long.
 */
#ifndef SOURCE_PHRASE_H
#define SOURCE_PHRASE_H

#include "source/ctext.h"

/*
 * The statement at a line and column (0: the only one on the line) changes one
 * thing: which, `s->items[i]`, and what it gets.  `by` is how: "=", "+=", "++".
 */
struct phrase_update {
  struct buf target, value, by;
};

bool phrase_update(const struct ctext *c, uint32_t line, uint32_t column,
                   struct phrase_update *out);
void phrase_update_free(struct phrase_update *u);

/* The call that the only statement on a line is: `lock(&l->lock)`. */
bool phrase_call(const struct ctext *c, uint32_t line, struct buf *out);

/* Whether that call could come before line `to`, above it in the same function:
 * false when a name in it gets its value, or its meaning, in between. */
bool phrase_moves(const struct ctext *c, uint32_t line, uint32_t to);

#endif
