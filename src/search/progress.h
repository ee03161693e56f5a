/*
 * Does a client's graph of states have FL_PROGRESS?  Not if it has a way to
 * STEPS_BAD: an operation waits there (rt_watch_progress).  Else:
 *
 * lock_free: no circle has a step of an operation.  (A client has finitely many
 *   calls, so none returns on a circle.)
 * obstruction_free: no circle of steps of one thread has one.
 * wait_free, n: as lock_free, and no way from the root has more than n steps of
 *   one call.
 *
 * tests/oracle/progress.c is the definition.   tests/agree/progress.c
 */
#ifndef SEARCH_PROGRESS_H
#define SEARCH_PROGRESS_H

#include "model/steps.h"

#include <faultline.h>

struct progress_question {
  enum fl_progress condition;
  uint32_t steps;       /* wait_free: n */
  uint32_t ncalls;      /* of the client */
  const bool *may_wait; /* by call: FL_BLOCKING; its steps do not matter */
};

/* A way from the root that shows the contrary. */
struct progress_fault {
  VEC(uint32_t) edges;
  uint32_t round; /* so many of the last edges are a circle; or 0 */
};

/* True: the condition does not hold, and *out is a shortest way to where that
 * shows. */
bool progress_fails(const struct steps *g, const struct progress_question *q,
                    struct progress_fault *out);
void progress_fault_free(struct progress_fault *f);

#endif
