/*
 * A session: sources built into an object, what is known about it, and the
 * reports that come out.  The parent's side of test, explore and replay.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "debug/lines.h"
#include "build/probe.h"
#include "cli/hunt.h"
#include "cli/settings.h"
#include "report/report.h"

#include <stdio.h>

struct run { /* on one object */
  struct worker worker;
  struct result result; /* points into what the worker answered */
  struct hunt_report *report;
  struct settings settings; /* those of the object */
};

struct session {
  const struct settings *settings;
  struct build build;
  char *dir, *so;
  char *native; /* --search=stress: the object without hooks; or NULL */
  char hash[17];
  struct lines *lines;
  struct probe probe;
  VEC(char *) warnings;
  struct worker describer;
  struct description *about;
  VEC(struct run) runs;
  bool interrupted;       /* by the user: nothing more is begun */
  bool late;              /* a part of what explains the fault was cut short */
  bool patched;           /* --patch: the file is written */
  struct error unwritten; /* … or why it is not, though there is a patch */
  struct arena arena;     /* texts that are added to results */
};

/* Builds, inspects, checks the harness against the debug information. */
int session_open(struct session *s, const struct settings *set,
                 struct error *e);
/* The settings with which an object is run: its harness may have a say.  NULL:
 * a whole program. */
void session_settings(const struct session *s, const struct suite_info *of,
                      struct settings *out);
/* Runs the hunt on one object and keeps its result. */
int session_hunt(struct session *s, const struct hunt_order *order,
                 struct error *e);
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

/* Steps of each operation of an object, in the session's memory (tree.c). */
int session_estimate(struct session *s, uint32_t suite, uint32_t **out,
                     struct error *e);

/* Does something escape the runtime? */
bool session_partial(const struct session *s);
/* What the order says of the object that was built. */
void session_object(const struct session *s, struct hunt_order *o);
/* What is known of a run whose worker left no result. */
void session_plain_result(const struct session *s, struct run *r,
                          const struct hunt_order *order);

/* Prints a sentence, which it takes, and keeps it for the report. */
void session_warn(struct session *s, char *text);

/* Which object is the schedule of the file for, and does it have the client's
 * operations? */
int session_find_client(const struct session *s, const struct schedule *of,
                        const char *path, uint32_t *suite, struct error *e);

/* What a worker's end means when it did not bring a result. */
int session_worker_trouble(const struct worker *w, enum worker_end end,
                           struct error *e);

/* "faultline replay FILE sources -- flags", in the session's memory */
char *session_replay_command(struct session *s, const char *schedule);

#endif
