/*
 * What there is to say about a fault that can be repeated: which fences are
 * missing, or which lines must be atomic, and what was tried to see that; which
 * races decide; where executions switch.
 */
#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H

#include "campaign/object_run.h"

/* All of it, into the finding of the run; true: fences are missing, and nothing
 * has to be made atomic. */
bool diagnose(struct built *b, struct object_run *r, const struct target *t);
/* How long all that is said about a fault may take, what others add included.
 */
double diagnose_seconds(const struct settings *set);
/* Races and switches only, of what was replayed or found by real threads. */
void diagnose_labels(struct built *b, struct object_run *r,
                     const struct target *t);

#endif
