/*
 * For continuous integration: commands that check several things (histories,
 * traces, clients of a source), one case each, as JUnit's XML, TAP or SARIF.  A
 * thing that was not decided is an error, since a green case must have been
 * checked.
 */
#ifndef REPORT_CI_CASE_H
#define REPORT_CI_CASE_H

#include "report/ci.h"

enum ci_outcome { CI_PASS, CI_FAIL, CI_OPEN };

/* Lines that a case is about. */
struct ci_lines {
  const char *file, *function; /* function: or NULL */
  uint32_t first, last;
};

struct ci_case {
  const char *name;
  enum ci_outcome outcome;
  const char *message; /* in one line; of a pass: it has none */
  const char *text;    /* all that is said of it */
  const struct ci_lines *lines;
  uint32_t nlines;
};

struct ci_cases {
  const char *command;         /* "faultline check" */
  const char *fault, *meaning; /* of a failure: its name and its meaning */
  const struct ci_case *at;
  uint32_t n;
  const struct ci_report *about; /* where, which version, which status */
};

void ci_cases_junit(const struct ci_cases *c, struct buf *out);
void ci_cases_tap(const struct ci_cases *c, struct buf *out);
/* Results are the cases that did not pass. */
void ci_cases_sarif(const struct ci_cases *c, struct buf *out);

#endif
