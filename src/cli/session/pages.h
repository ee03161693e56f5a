/*
 * Pages: the reports for a browser.  `--html FILE` writes one page about all
 * objects; without it, each fault has a page beside its schedule, with the same
 * name.
 */
#ifndef CLI_SESSION_PAGES_H
#define CLI_SESSION_PAGES_H

#include "cli/session/session.h"
#include "debug/namer.h"

struct passing { /* the nearest passing execution, as a story of its own */
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

/* Adds the nearest passing execution to the story of run number i. */
void pages_tell_passing(struct pages *p, const struct result *r,
                        struct story *story, uint32_t i);

/* Writes the pages and notes their paths in the findings.  A page beside a
 * schedule that cannot be written is only a warning. */
int pages_write(struct pages *p, const struct report_run *runs, uint32_t n,
                struct error *e);
void pages_free(struct pages *p);

#endif
