/*
 * Reports: what a run found, for people and for programs.  Each format reads a
 * story and appends to a buffer; none of them decides anything.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "code/hooked.h"
#include "report/story.h"

/* How the terminal report looks. */
struct text_style {
  uint32_t width;    /* columns; 0 is 80, and less than 40 is 40 */
  bool colour;       /* ANSI colours */
  bool utf8;         /* the locale can show … and × */
  bool whole;        /* everything, not only what fits on a screen */
  bool all_causes;   /* the same, and not only the first few causes */
  bool quiet;        /* the answer and the replay command, nothing else */
  uint32_t max_rows; /* of the interleaving; 0 is 120, UINT32_MAX is all */
};

/*
 * The terminal report of one run.  Lines are at most `width` columns, except
 * for a path in front of a diagnostic and for a word of the replay command,
 * which would be of no use when shortened.
 */
void report_text(const struct story *s, const struct text_style *style,
                 struct buf *out);

/* A sentence that stands alone, such as a warning, broken into lines. */
void report_line(const char *text, const struct text_style *style,
                 struct buf *out);

/* A run in the JSON report. */
struct report_run {
  const struct story *story;
  const char *const *warnings; /* of the probe, one sentence each */
  uint32_t nwarnings;
  const hooked_list *hooks; /* lines with and without hooks; page only */
  int status;               /* the exit status that it would have alone */
};

/* The faults of one object, a line each, behind their reports; of one fault
 * nothing. */
void report_faults(const struct report_run *runs, uint32_t n,
                   const struct text_style *style, struct buf *out);

/* One run is an object; several are {"faultline": 1, "runs": […]}.  The schema
 * is in docs/json.md. */
void report_json(const struct report_run *runs, uint32_t n, struct buf *out);

/* A field of an open object: the lines of the loop around a block. */
struct json;
void json_loop(struct json *j, const struct code_block *b);
/* Likewise `answers`: the eliminators of each failing trace. */
struct causes_found;
void json_answers(struct json *j, const struct causes_found *c);

/* The same as a page for a browser that needs nothing else (page.c). */
void report_html(const struct report_run *runs, uint32_t n, struct buf *out);

#endif
