/*
 * The best cause as a patch: its lines are made atomic with a lock in copies of
 * the sources, which are compiled and searched as the originals were.  Only
 * what the search finds no fault in is written to the user's file.
 */
#ifndef CLI_PATCH_H
#define CLI_PATCH_H

#include "cli/session.h"

/* --patch: puts what came of it into the run's finding. */
void patch(struct session *s, struct run *r, const struct hunt_order *order);

#endif
