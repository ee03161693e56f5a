/* What ran when a worker died or began to hang. */
#ifndef CAMPAIGN_AUTOPSY_H
#define CAMPAIGN_AUTOPSY_H

#include "campaign/object_run.h"

/* What is left of a worker.  Nothing but `client` can be believed. */
struct dead_worker {
  enum worker_end end;
  int status;            /* waitpid's */
  bool garbled;          /* what it sent is no answer */
  enum worker_hang hang; /* WORKER_HANGS */
  const char *client;
  const uint8_t *path;
  uint32_t len;
  bool only_choices;
  struct statistics statistics; /* what was done before */
};
/* A copy: processes that the worker has left behind could still write. */
struct dead_worker dead_worker_of(const struct worker *w, enum worker_end end,
                                  struct arena *a);

/*
 * Makes the result of a run whose worker ended so.  The path is only a hint,
 * and the recording of a second try is copied before it is checked.  A signal
 * that is no crash and does not come again was sent by somebody else: then the
 * verdict is open.  So it is for an answer that cannot be read, once.
 */
void autopsy(struct built *b, struct object_run *r, const struct target *t,
             const struct dead_worker *c);

/* A worker that was ended before its first client: no schedule could tell who
 * has sent the signal, so its number must. */
bool autopsy_stopped(int status);
void autopsy_outside(struct built *b, struct object_run *r,
                     const struct target *t, int status);
/* The same of one that sent what is no answer. */
void autopsy_garbled(struct built *b, struct object_run *r,
                     const struct target *t);

#endif
