/*
 * Text for a terminal, measured in columns.  Names, strings, paths and source
 * lines of the user's code can hold anything; here they are made harmless and
 * fitted.
 *
 * (C1) clean text has no control character, no byte that is not UTF-8, and none
 *      of the characters that turn the direction of text; without `utf8` it is
 *      ASCII.  cell_clean makes it, all other functions want it.
 */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends `s` made clean: a newline becomes `\n`, an escape `\x1b`; the dot of
 * 2.9·10^15 becomes an asterisk without `utf8`. */
void cell_clean(const char *s, bool utf8, struct buf *out);

size_t cell_width(const char *s);

/* Appends `s` in at most `width` columns, the end or the middle left out. */
void cell_fit(const char *s, size_t width, bool utf8, struct buf *out);
void cell_fit_middle(const char *s, size_t width, bool utf8, struct buf *out);

/* The same for the name of a location: the middle is left out so that the last
 * members stay whole (`the_li…next.key` of `the_list.first->next.key`), if they
 * are not too long themselves. */
void cell_fit_name(const char *s, size_t width, bool utf8, struct buf *out);

/* Decodes a character: its length in bytes, 0 when it is not UTF-8 or the end
 * of the string. */
size_t cell_decode(const char *s, unsigned *code);

/* C1, for the terminals that can show UTF-8. */
bool cell_is_clean(const char *s);

#endif
