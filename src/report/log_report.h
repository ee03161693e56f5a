/*
 * Reports on recorded histories: each appends one history to a buffer.  The
 * JSON and HTML pieces are put into whole documents by log_json_document and
 * log_page_finish.
 */
#ifndef REPORT_LOG_REPORT_H
#define REPORT_LOG_REPORT_H

#include "model/log_report.h"
#include "report/report.h"

/* The verdict in one line, and below it, unless `quiet`, why. */
void log_report_text(const struct log_report *r, const struct text_style *style,
                     struct buf *out);

/* An object, for the list of {"histories": […]}; docs/json.md. */
void log_report_json(const struct log_report *r, struct buf *out);
void log_json_document(const struct buf *objects, uint32_t n, struct buf *out);

/*
 * An object for the page, of at most some 300 KB however long the history is.
 * A page has all of them, as long as they fit 4 MB together: then only the
 * verdicts are counted.
 */
void log_report_html(const struct log_report *r, struct buf *out);
struct log_page {
  struct buf data; /* the objects so far */
  uint32_t shown, left_out, violations, unknowns;
};
void log_page_add(struct log_page *p, const struct buf *object,
                  const char *verdict);
void log_page_finish(struct log_page *p, struct buf *out);

/* For continuous integration: a case a history, from its text.  Not decided is
 * an error, since a green case must have been checked. */
struct log_case {
  const char *verdict; /* linearizable, violation, unknown */
  const char *text;    /* of log_report_text, without colours */
};
void log_report_junit(const struct log_case *cases, uint32_t n,
                      struct buf *out);
void log_report_tap(const struct log_case *cases, uint32_t n, struct buf *out);

/* ---- what they share ---- */

/* Operations to show around the core: indices into the log's, by call, at most
 * `most` of them and all of the core (as far as that allows). */
typedef VEC(uint32_t) log_window;
void log_window_make(const struct log_report *r, uint32_t most,
                     log_window *out);
bool log_is_core(const struct log_report *r, uint32_t op);
/* For qsort and bsearch of uint32_t. */
int log_by_number(const void *x, const void *y);

#endif
