/* Lines of the user's source files, which may be gone or be anything by now. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "base/buf.h"
#include "model/place.h"

#include <stdbool.h>

/* The text of a file; false: it is no readable file, or too large. */
bool source_read(const char *path, struct buf *out);

/* The text of the place's line without its end; false: it cannot be read. */
bool source_line(const struct place *p, struct buf *out);

/* The column of the line's first character that is not blank, from 1; 0 when
 * there is none, or the line cannot be read. */
uint32_t source_first_column(const struct place *p);

#endif
