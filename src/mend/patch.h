/*
 * The best cause as a patch: its lines are made atomic with a lock in copies of
 * the sources, which are compiled and searched as the originals were.  Only
 * what the search finds no fault in is written to the user's file.
 */
#ifndef MEND_PATCH_H
#define MEND_PATCH_H

#include "base/vec.h"
#include "campaign/object_run.h"

/* The file of --patch: there is one, for whichever object is first. */
struct patch_file {
  bool written;
  struct error unwritten; /* why it is not, though there is a patch */
};

/* Clients that fail in copies of the sources that were changed. */
typedef VEC(char *) failing_clients;

/* --patch: puts what came of it into the run's finding. */
void patch(struct built *b, struct object_run *r, const struct target *t,
           struct patch_file *file, failing_clients *failing);

#endif
