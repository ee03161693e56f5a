/*
 * Reports for continuous integration: JUnit, TAP, SARIF and the annotations of
 * GitHub.  All read the same runs; how a run ended is its `status`, the exit
 * status that it would have alone, which an expected fault turns round.
 *
 * Paths begin at `root`, the folder of the repository, when they are below it,
 * and else at the root of the file system.  A path that is not absolute
 * is one from `here`.
 */
#ifndef REPORT_CI_H
#define REPORT_CI_H

#include "report/report.h"

struct ci_report {
  const struct report_run *runs;
  uint32_t nruns;
  const char *name;    /* of the whole: the sources */
  const char *here;    /* absolute */
  const char *root;    /* absolute */
  const char *version; /* of the program */
  const char *trouble; /* the error that ended the program, or NULL */
  int status;          /* of the program */
  const char *const *warnings;
  uint32_t nwarnings;
};

/* One suite, one case a run.  A fault is a failure; doubt and trouble are
 * errors, since a green case must have been checked. */
void report_junit(const struct ci_report *c, struct buf *out);

/* Version 13.  Trouble before the first run is "Bail out!". */
void report_tap(const struct ci_report *c, struct buf *out);

/* Version 2.1.0.  Reads the patch that was written, for the fixes. */
void report_sarif(const struct ci_report *c, struct buf *out);

/* ::error lines. */
void report_github(const struct ci_report *c, struct buf *out);

#endif
