/* Signals that somebody else sends to a process of the tool: the user, the
 * system's watch over memory, the end of a session.  They are no fault of the
 * code that runs there. */
#ifndef PROC_OUTSIDE_H
#define PROC_OUTSIDE_H

#include <stdbool.h>

/* By this signal code that goes wrong ends, and nobody sends it. */
bool outside_never(int number);
/* "the run was stopped from outside (SIGTERM)"; to be freed. */
char *outside_words(int number);

#endif
