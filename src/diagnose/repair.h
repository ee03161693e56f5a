/*
 * The repair loop (the root-causing paper, section 4): the best set of lines is
 * run without interruption in all clients; when one fails all the same, its
 * traces join those that are to be repaired, until none fails or the budget
 * ends.
 */
#ifndef DIAGNOSE_REPAIR_H
#define DIAGNOSE_REPAIR_H

#include "campaign/object_run.h"

/* Puts the causes of the run's finding, a history that is not linearizable,
 * into it. */
void repair(struct built *b, struct object_run *r, const struct target *t);

#endif
