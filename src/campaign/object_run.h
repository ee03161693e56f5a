/*
 * A run on one object: a worker begins, a campaign goes on, a worker concludes;
 * or one worker does it all.  The result of each of them, however it ended.
 */
#ifndef CAMPAIGN_OBJECT_RUN_H
#define CAMPAIGN_OBJECT_RUN_H

#include "campaign/built.h"

struct object_run {
  struct worker worker; /* whose answer the result points into */
  struct result result;
  struct hunt_report *report; /* NULL: no worker has answered */
  struct settings settings;   /* those of the object */
  bool repeatable;            /* the finding's execution can be run again */
  bool late;                  /* time has ended a part of the conclusion */
  double begun;               /* of a campaign: when, by clock_now() */
};

/* ERR_NONE, or the error's code, and there is no result. */
int object_run(struct built *b, struct object_run *r,
               const struct hunt_question *q, struct error *e);

/* What is known of a run whose worker left no result. */
void object_run_plain(const struct built *b, struct object_run *r,
                      const struct target *t);

/* Processor time of this process and of the workers that have ended. */
double processor_seconds(void);

#endif
