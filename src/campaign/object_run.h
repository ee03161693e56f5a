/*
 * A run on one object.  A worker begins, a campaign searches, a worker
 * concludes; or one worker does it all (hunt_is_alone).  There is a result
 * however a worker ended.
 */
#ifndef CAMPAIGN_OBJECT_RUN_H
#define CAMPAIGN_OBJECT_RUN_H

#include "campaign/built.h"

struct object_run {
  struct worker worker; /* the result points into its answer */
  struct result result;
  struct hunt_report *report; /* NULL: no worker has answered */
  struct settings settings;   /* for this object */
  bool repeatable; /* a worker can run the finding's execution again */
  bool late;       /* a time limit cut the conclusion short */
  double begun;    /* clock_now() when the campaign began */
};

/* ERR_NONE, or the code of the error: then there is no result. */
int object_run(struct built *b, struct object_run *r,
               const struct hunt_question *q, struct error *e);

/* The result of a run whose worker left none: settings and counts only. */
void object_run_plain(const struct built *b, struct object_run *r,
                      const struct target *t);

/* Processor time of this process and of the workers that have ended. */
double processor_seconds(void);

#endif
