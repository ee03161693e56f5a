/*
 * A session: what was built, the runs on its objects, and the reports that come
 * out.  The parent's side of test, explore, replay and shrink.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include "campaign/object_run.h"
#include "mend/patch.h"
#include "report/report.h"

#include <stdio.h>

struct session {
  struct built built;
  const struct settings *settings;
  uint32_t printed; /* warnings */
  VEC(struct object_run) runs;
  struct patch_file patch; /* --patch */
};

/* Builds, and prints what is to be warned of. */
int session_open(struct session *s, const struct settings *set,
                 struct error *e);
/* Runs one object, as the question's target has it, and keeps its result. */
int session_hunt(struct session *s, const struct hunt_question *q,
                 struct error *e);
void session_print_warnings(struct session *s);
/* Writes the reports and gives the exit status. */
int session_report(struct session *s, struct error *e);
/* The text report alone. */
void session_text(struct session *s, const struct text_style *style,
                  struct buf *out);
/* Writes those that tell of trouble before there was anything to report, which
 * stays in *e; gives the exit status. */
int session_report_trouble(struct session *s, struct error *e);
void session_close(struct session *s);

/* The formats for continuous integration (session_ci.c): their files, and
 * annotations on `to`.  ERR_NONE, or the error's code. */
int session_ci(const struct session *s, const struct report_run *runs,
               uint32_t n, int status, FILE *to, struct error *e);
/* Is a report for programs written to standard output? */
bool session_ci_on_stdout(const struct settings *set);
/* The status as the user's protocol has it. */
int session_exit(const struct session *s, int status);

/* Which object is the schedule of the file for, and does it have the client's
 * operations? */
int session_find_client(const struct session *s, const struct schedule *of,
                        const char *path, uint32_t *suite, struct error *e);

#endif
