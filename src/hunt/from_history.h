/*
 * From a failing history of real threads to a small client that fails under the
 * scheduler: with lines, an interleaving and a schedule to replay.
 *
 * The history is only a hint.  What is reported is an execution of the engine,
 * so that a wrong guess costs time and is never a false alarm.
 */
#ifndef HUNT_FROM_HISTORY_H
#define HUNT_FROM_HISTORY_H

#include "hunt/inside.h"

/*
 * The history's client is the one that the checker has.  True: an execution was
 * found, made small and concluded.  *sentence, to be freed, says what was done
 * or why it is in vain.
 */
bool from_history(struct hunt *h, const struct history *failing,
                  char **sentence);

#endif
