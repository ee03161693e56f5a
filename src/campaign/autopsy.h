/* Why a worker died or hung: a second worker runs its last schedule again. */
#ifndef CAMPAIGN_AUTOPSY_H
#define CAMPAIGN_AUTOPSY_H

#include "campaign/object_run.h"

/* What a dead worker leaves.  The code may have overwritten all of it but
 * `client`. */
struct dead_worker {
  enum worker_end end;
  int status;            /* from waitpid */
  bool garbled;          /* it sent something that is no answer */
  enum worker_hang hang; /* WORKER_HANGS */
  const char *client;
  const uint8_t *path;
  uint32_t len;
  bool only_choices;
  struct statistics statistics; /* of the search until then */
};
/* A copy in the arena: processes that the worker started may still write. */
struct dead_worker dead_worker_of(const struct worker *w, enum worker_end end,
                                  struct arena *a);

/*
 * Makes the result of a run whose worker died or hung, by running its path in a
 * second worker.  The path is only a hint, and the recording of the second
 * worker is copied before it is checked.  The verdict is unknown if the first
 * worker was killed by a signal that is no crash, or garbled its answer, and
 * the second one is not and does not: then the cause is outside the code.
 */
void autopsy(struct built *b, struct object_run *r, const struct target *t,
             const struct dead_worker *c);

/* For a worker that died before its first client, so that no schedule can be
 * run again: does the signal's number say that another process sent it? */
bool autopsy_stopped(int status);
/* The result then: unknown. */
void autopsy_outside(struct built *b, struct object_run *r,
                     const struct target *t, int status);
/* The same for a worker whose answer was garbled. */
void autopsy_garbled(struct built *b, struct object_run *r,
                     const struct target *t);

#endif
