/*
 * How long an execution may be (bound.c).
 */
#ifndef RT_BOUND_H
#define RT_BOUND_H

#include "rt/engine.h"

/* Another client is prepared: its length is not known. */
void fl__bound_forget(void) FL_HIDDEN;
/* An execution begins … */
void fl__bound_begin(void) FL_HIDDEN;
/* … and it, or the set-up, has ended in order. */
void fl__bound_ended(void) FL_HIDDEN;
/* FL_GOES_ON: E.bound has been raised. */
int fl__at_bound(void) FL_HIDDEN;
static inline bool fl__bound_is_near(void) {
  return UNLIKELY(E.live.steps + E.live.locals >= E.bound);
}

#endif
