/*
 * The lines of a fault: those of its repair that are run without interruption
 * while other faults are looked for, so that whatever fails then is another
 * one.
 *
 * A repair is one of all clients that fail, and can hold the lines of several
 * faults.  Of {inc()} || {inc()} and {dec()} || {dec()}, which have nothing in
 * common, the repair of whatever is found first has the lines of both.  Those
 * of one fault are the blocks without which its own client still fails.
 *
 * (E1) with the lines of a fault enforced, every execution of its client
 *      passes: all of them were run.
 */
#ifndef DIAGNOSE_ENFORCE_H
#define DIAGNOSE_ENFORCE_H

#include "campaign/object_run.h"
#include "model/cause.h"

/* What the target enforces and `more`, which may be NULL, together. */
const struct regions *enforced_too(const struct target *t,
                                   const struct regions *more, struct arena *a);

/* The blocks of `c` that the client of the run's fault needs; false: E1 does
 * not hold for it. */
bool enforce_own(struct built *b, const struct object_run *r,
                 const struct target *t, struct cause c, struct cause *own);

/* The lines of the run's fault, and what enforces them on top of what the
 * target does.  False: there are none that E1 holds for. */
bool enforce(struct built *b, const struct object_run *r,
             const struct target *t, struct cause *lines,
             const struct regions **out);

#endif
