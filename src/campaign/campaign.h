/*
 * A campaign: gives the clients of one object, or the parts of one client, as
 * items to a pool of processes and merges their answers.
 *
 * (C1) answers are merged in the order of their items, not of their arrival,
 *      and budgets are checked while merging.  So the result is the same for
 *      any number of processes, unless a time limit ended the search.
 * (C2) an item whose process was killed is given again, CAMPAIGN_TRIES times
 *      in all.
 * (C3) a slot has a task exactly while its process works on it, and the tasks
 *      that are not merged yet are in one list, in the order of their items.
 */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "campaign/coverage.h"
#include "campaign/estimate.h"
#include "hunt/hunt.h"
#include "hunt/item.h"
#include "proc/pool.h"

enum campaign_end {
  CAMPAIGN_PASS,   /* no fault found */
  CAMPAIGN_BAD,    /* `bad` is the record of a bad execution or setup */
  CAMPAIGN_DEATH,  /* the code killed its process */
  CAMPAIGN_HANGS,  /* the code hangs */
  CAMPAIGN_KILLED, /* the processes of an item were killed too often */
  CAMPAIGN_INTERRUPTED,
  CAMPAIGN_LATE, /* at target->latest */
  CAMPAIGN_ERROR,
};

struct campaign {
  /* in */
  const struct target *target;
  double deadline; /* by clock_now(); 0: none */
  /* out; `totals` may start with those of the sequences */
  struct totals totals;
  struct record bad;
  struct pool_death death;
  outcome_list outcomes;
  char *lost; /* sentence about machines that were lost, or NULL */
  struct estimate estimate; /* how far the search was */
};

enum campaign_end campaign_run(struct campaign *c, struct error *e);
void campaign_free(struct campaign *c);

#endif
