/*
 * Pages: the reports for a browser.  `--html FILE` asks for one of all objects;
 * otherwise each fault gets one beside its schedule, under the same name.
 */
#ifndef CLI_SESSION_PAGES_H
#define CLI_SESSION_PAGES_H

#include "cli/session/session.h"
#include "debug/namer.h"

struct passing { /* the execution that passes, told like the failing one */
  struct result result;
  struct finding finding;
  struct namer namer;
  struct story *story;
};

struct pages {
  struct session *s;
  struct passing *passing; /* by run */
  uint32_t npassing;
  hooked_list hooks;
};

/* Gives the story of run number i its nearest passing execution. */
void pages_tell_passing(struct pages *p, const struct result *r,
                        struct story *story, uint32_t i);

/* Writes what is asked for and notes in the findings where it is.  An error is
 * of --html; beside the schedule there is a warning instead. */
int pages_write(struct pages *p, const struct report_run *runs, uint32_t n,
                struct error *e);
void pages_free(struct pages *p);

#endif
