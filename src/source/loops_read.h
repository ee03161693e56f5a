/*
 * The loops in a text of C or C++: for, while, do, what is called FOREACH or
 * the like, and a label with a goto behind it that leads back.  Tokens are
 * enough for that, so it also works where ctext calls a function broken.
 */
#ifndef SOURCE_LOOPS_READ_H
#define SOURCE_LOOPS_READ_H

#include "model/loops.h"

/* For struct loops; a file that cannot be read has no known loop. */
void loops_read_source(struct loops_file *f);
void loops_read_text(struct loops_file *f, const char *text, size_t len);

#endif
