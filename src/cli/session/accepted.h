/*
 * Faults that are accepted (model/accept.h): by --accept FILE and by FL_ACCEPT
 * of the harness.  A run that found one is kept as such, and the object is run
 * again for what else there is (further.h).
 */
#ifndef CLI_SESSION_ACCEPTED_H
#define CLI_SESSION_ACCEPTED_H

#include "cli/session/session.h"

/* Reads the file and the harness's entries. */
int accepted_open(struct session *s, struct error *e);
/*
 * Says in the result whether its fault is accepted, and the line that would
 * accept it.  The lines of a fault are those that its own client needs
 * (diagnose/enforce.h): what is reported as its cause may have the lines of
 * other faults, too.
 */
void accepted_judge(struct session *s, struct object_run *r,
                    const struct target *t);
/* Warns of entries of objects that were run which matched nothing. */
void accepted_say_unused(struct session *s);

#endif
