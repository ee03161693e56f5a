/*
 * Pages for a browser: a file of assets/ in which marks give way to data.
 *
 *     <script type="application/json">FAULTLINE-DATA</script>
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/buf.h"

/* Appends the page up to the mark; returns the rest of the page behind it. */
const char *page_put_until(const char *page, const char *mark, struct buf *out);

/* Appends JSON as it can stand inside of a script element.  There `<` could end
 * the element or begin a comment, and U+2028 and U+2029 end a line of a
 * program.
 */
void page_put_data(const struct buf *json, struct buf *out);

#endif
