/*
 * A campaign: the clients of one object, or the parts of one client, given as
 * items to a pool of processes, and what they answer put together.
 *
 * (C1) answers are merged in the order of their items, whoever was first, and
 *      budgets are looked at while merging: the result is the same for any
 *      number of processes, but for what a clock ends.
 * (C2) an item whose process was killed is given again, up to some tries.
 * (C3) a slot has a task exactly while its process does it, and the tasks that
 *      are not merged yet stand in one list, in the order of their items.
 */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "campaign/coverage.h"
#include "campaign/estimate.h"
#include "hunt/hunt.h"
#include "hunt/item.h"
#include "proc/pool.h"

enum campaign_end {
  CAMPAIGN_PASS,   /* no fault, as far as was searched */
  CAMPAIGN_BAD,    /* `bad` is the record of a bad execution or setup */
  CAMPAIGN_DEATH,  /* a process died of the code that it ran */
  CAMPAIGN_HANGS,  /* … or slept for ever */
  CAMPAIGN_KILLED, /* an item's processes were killed too often */
  CAMPAIGN_INTERRUPTED,
  CAMPAIGN_LATE, /* target->latest */
  CAMPAIGN_ERROR,
};

struct campaign {
  /* in */
  const struct target *target;
  double deadline; /* of clock_now(); 0: none */
  /* out; the totals in `totals` go on from what they are */
  struct totals totals;
  struct record bad;
  struct pool_death death;
  outcome_list outcomes;
  char *lost;               /* machines that went away: a sentence, or NULL */
  struct estimate estimate; /* how far it was */
};

enum campaign_end campaign_run(struct campaign *c, struct error *e);
void campaign_free(struct campaign *c);

#endif
