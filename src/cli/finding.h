/* From a bad path of the prepared client to a finding in shared memory. */
#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include "cli/judge.h"
#include "cli/worker.h"

/*
 * Runs the path again, recorded, twice (a difference is a fault of its own),
 * and puts what was found into the arena.  NULL when the execution is not bad
 * after all; with `good_too`, an execution that is good is returned with fault
 * FAULT_NONE.
 */
struct finding *finding_make(struct jury *j, const uint8_t *at, uint32_t len,
                             const char *object, struct shared *s,
                             bool good_too, bool *diverged);

/* A fault while the object was constructed or the initial calls were made. */
struct finding *finding_of_setup(const struct client *c, enum rt_end end,
                                 struct shared *s);

#endif
