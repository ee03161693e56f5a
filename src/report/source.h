/* Lines of the user's source files. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "base/buf.h"
#include "model/place.h"

#include <stdbool.h>

/* The text of the place's line without its end, or false: it cannot be read. */
bool source_line(const struct place *p, struct buf *out);

/* The column of the line's first character that is not blank, from 1; 0 when
 * there is none, or the line cannot be read. */
uint32_t source_first_column(const struct place *p);

#endif
