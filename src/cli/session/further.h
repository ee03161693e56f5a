/*
 * The next fault: an object is run again as long as there is something to look
 * for beside what was found.
 *
 * With --keep-going that is another fault: of another kind, or of other lines.
 * So it is behind a fault that is accepted (accepted.h).
 * Without it, too, a run that ended in doubt goes on: an execution that cannot
 * be checked, or has no end, says nothing about the others.
 *
 * What was found is set aside in the narrowest way that there is:
 *  - its lines (diagnose/enforce.h) are run without interruption.  Whatever
 *    fails then fails in another way, by construction.
 *  - executions that end in the same fault at the same place count as good
 *    (model/known.h): the fault has no lines that would end it.
 *  - clients that have the failing one as a part are left out, or, when that
 *    is not enough or one thread alone fails, clients that have all of its
 *    operations.
 *
 * A last search looks for faults of other kinds in the lines that were
 * enforced.
 *
 * (F1) faults come before doubts, and these before what is accepted, each in
 *      the order in which they were found.
 * (F2) a fault of the same kind that shares a line with one before it is not
 *      listed again.
 */
#ifndef CLI_SESSION_FURTHER_H
#define CLI_SESSION_FURTHER_H

#include "cli/session/session.h"

/* Runs the object as often as there is something new to find.  `set` are the
 * settings of the target, and both become those of the last run. */
int session_further(struct session *s, struct settings *set,
                    struct target *target, struct hunt_question *q,
                    struct error *e);

/* One run, of which the result is kept (session_hunt.c). */
int session_hunt_once(struct session *s, const struct hunt_question *q,
                      struct error *e);

#endif
