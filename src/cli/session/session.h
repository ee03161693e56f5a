/*
 * A session: the built object file, a run on each of its objects, and the
 * reports.  It is the parent process of test, explore, replay and shrink.
 */
#ifndef CLI_SESSION_SESSION_H
#define CLI_SESSION_SESSION_H

#include "campaign/object_run.h"
#include "mend/patch.h"
#include "model/accept.h"
#include "report/report.h"

#include <stdio.h>

struct session {
  struct built built;
  const struct settings *settings;
  uint32_t printed; /* of built.warnings: how many */
  VEC(struct object_run) runs;
  accept_list accepts;     /* --accept and FL_ACCEPT */
  struct patch_file patch; /* --patch */
};

/* Builds the object and prints the warnings. */
int session_open(struct session *s, const struct settings *set,
                 struct error *e);
/* Runs the object of the question's target and keeps its result. */
int session_hunt(struct session *s, const struct hunt_question *q,
                 struct error *e);
void session_print_warnings(struct session *s);
/* Writes the reports; returns the exit status. */
int session_report(struct session *s, struct error *e);
/* The text report alone. */
void session_text(struct session *s, const struct text_style *style,
                  struct buf *out);
/* Writes the reports of a session that failed with *e before its first result;
 * returns the exit status. */
int session_report_trouble(struct session *s, struct error *e);
void session_close(struct session *s);

/* Writes the files for continuous integration, and annotations to `to`
 * (session_ci.c).  ERR_NONE, or the code of the error. */
int session_ci(const struct session *s, const struct report_run *runs,
               uint32_t n, int status, FILE *to, struct error *e);
/* Is a report for programs written to standard output? */
bool session_ci_on_stdout(const struct settings *set);
/* The exit status by the protocol of --exit-protocol. */
int session_exit(const struct session *s, int status);

/* Finds the object that the schedule is for; an error if the sources do not
 * have it or an operation of the schedule's client. */
int session_find_client(const struct session *s, const struct schedule *of,
                        const char *path, uint32_t *suite, struct error *e);

#endif
