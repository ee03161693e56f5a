/*
 * From a failing history of real threads to a small client that fails under the
 * scheduler, which adds lines, an interleaving and a schedule to replay.
 *
 * The history is only a hint.  The report shows an execution of the engine, so
 * a wrong guess costs time but is never a false alarm.
 */
#ifndef HUNT_FROM_HISTORY_H
#define HUNT_FROM_HISTORY_H

#include "hunt/inside.h"

/*
 * If the object is its own specification, the checker's client is that of the
 * history.  True: a bad execution was found, minimised and concluded.  The
 * caller frees *sentence, which says what was tried or why nothing was found.
 */
bool from_history(struct hunt *h, const struct history *failing,
                  char **sentence);

#endif
