/* What ran when a worker died or began to hang. */
#ifndef CLI_AUTOPSY_H
#define CLI_AUTOPSY_H

#include "cli/session.h"

/*
 * Makes the result of a run whose worker ended so.  Nothing that the dead
 * worker could have overwritten is trusted: its client is read from the board,
 * its path is only a hint, and the recording of a second try is copied and
 * checked by a process of its own.
 */
void autopsy(struct session *s, struct run *r, const struct hunt_order *order,
             enum worker_end end);

#endif
