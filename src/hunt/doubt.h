/* When a run without a fault is inconclusive rather than a pass. */
#ifndef HUNT_DOUBT_H
#define HUNT_DOUBT_H

#include "model/result.h"

/* Inconclusive: no execution was checked, or `undecided` histories were not
 * checked to the end.  `limit` names the budget that ended their checks. */
void result_doubts(struct result *r, uint64_t undecided, const char *limit);
/* Inconclusive: some clients have no complete execution, or more executions
 * were cut at --max-steps than completed. */
void result_doubts_cut(struct result *r, uint64_t endless_clients);

#endif
