/*
 * Signals that come from outside of a process of the tool: from the user, from
 * the system's watch over memory, at the end of a session.  They are no fault
 * of the code that runs there.
 */
#ifndef PROC_OUTSIDE_H
#define PROC_OUTSIDE_H

#include <stdbool.h>

/* Is this a signal that faulty code causes, and that nobody sends? */
bool outside_never(int number);
/* "the run was stopped from outside (SIGTERM)"; to be freed. */
char *outside_words(int number);

#endif
