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

/*
 * Clients fail that the search did not come to, in copies of the sources in
 * which somebody has carried out what the best cause says.  If one fails with
 * the cause's lines atomic as well, the cause was called verified too early,
 * and the causes are found anew: true.
 */
bool repair_again(struct built *b, struct object_run *r, const struct target *t,
                  char *const *clients, uint32_t n);

#endif
