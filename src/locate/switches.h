/*
 * Where the executions of a client switch between threads: for each label of
 * steps (a line of the source), how many complete executions leave a thread
 * right behind a step with it, in the middle of a call, at least once.
 *
 * A switch is behind a step when the next step of the execution is another
 * thread's and the first one's call has not returned with it.
 *
 * (W1) what is counted are paths of the graph from the root to STEPS_GOOD or
 *      STEPS_BAD.                                     tests/agree/switches.c
 */
#ifndef LOCATE_SWITCHES_H
#define LOCATE_SWITCHES_H

#include "model/steps.h"

#define SWITCHES_NO_LABEL UINT32_MAX

struct switch_count {
  uint64_t good, bad;
};

/*
 * `label` is by step, below `nlabels` or SWITCHES_NO_LABEL; `out` has a count
 * for each label and behind them that of all executions.  False when there are
 * circles or more executions than can be counted: nothing is known then.
 */
bool switches_count(const struct steps *g, const uint32_t *label,
                    uint32_t nlabels, struct switch_count *out);

#endif
