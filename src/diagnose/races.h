/*
 * Which races decide that the finding's client fails: its tree of interleavings
 * is searched in a worker (hunt_races), labelled, and what was found put into
 * the finding.
 */
#ifndef DIAGNOSE_RACES_H
#define DIAGNOSE_RACES_H

#include "campaign/object_run.h"

void races(struct built *b, struct object_run *r, const struct target *t);

#endif
