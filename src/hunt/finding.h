/* From a bad path of the prepared client to a finding. */
#ifndef HUNT_FINDING_H
#define HUNT_FINDING_H

#include "hunt/checker.h"
#include "proc/worker.h"

/* How to follow a path: see finding_make. */
struct retrace {
  const uint8_t *at;
  uint32_t len;
  bool only_choices; /* steps without an alternative are left out of it */
  bool good_too;
  bool diverged; /* out: it could not be followed to its end */
};

/*
 * Runs the path again, recorded, twice (a difference is a fault of its own),
 * and puts what was found into the arena.  NULL when the execution is not bad
 * after all; with `good_too`, an execution that is good is returned with fault
 * FAULT_NONE, and with a detail when it was cut.
 */
struct finding *finding_make(struct checker *j, struct retrace *how,
                             struct work *s);

/* A fault while the object was constructed or the initial calls were made. */
struct finding *finding_of_setup(const struct client *c, enum rt_end end,
                                 struct work *s);

/* A copy of the client in the arena. */
void finding_share_client(struct client *to, const struct client *from,
                          struct arena *a);

#endif
