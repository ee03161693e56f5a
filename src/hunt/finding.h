/* From a bad path of the prepared client to a finding. */
#ifndef HUNT_FINDING_H
#define HUNT_FINDING_H

#include "hunt/checker.h"
#include "proc/worker.h"

/* How to follow a path: see finding_make. */
struct retrace {
  const uint8_t *at;
  uint32_t len;
  bool only_choices; /* the path leaves out steps without an alternative */
  bool good_too;     /* return a good execution, too */
  bool diverged;     /* out: the path could not be followed to its end */
};

/*
 * Records the path twice and makes a finding of it, in the arena.  If the two
 * traces differ, that difference is the fault.  A good execution gives NULL;
 * with `good_too`, it gives a finding with FAULT_NONE, which has a `detail` if
 * the execution was cut.
 */
struct finding *finding_make(struct checker *j, struct retrace *how,
                             struct work *s);

/* A fault while the object was constructed or the initial calls were made. */
struct finding *finding_of_setup(const struct client *c, enum rt_end end,
                                 struct work *s);

/* A copy of the client in the arena. */
void finding_share_client(struct client *to, const struct client *from,
                          struct arena *a);
/* A copy of the results in the arena. */
void finding_share_results(expected_list *to, const expected_list *from,
                           struct arena *a);

#endif
