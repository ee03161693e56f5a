/*
 * Executing: the parts of a step, the threads that can make one, and what it
 * means when none can.
 *
 * Functions that execute something return FL_GOES_ON, or how the execution
 * ended (enum rt_end).
 */
#ifndef RT_EXECUTE_H
#define RT_EXECUTE_H

#include "rt/engine.h"
#include "rt/record.h"

#include "base/slow.h"

enum { FL_GOES_ON = -1 };

/* Makes steps until the execution ends, as the driver decides. */
enum rt_end fl__run(const struct rt_driver *d) FL_HIDDEN;
/* One step of a thread or of a buffer. */
int fl__execute_step(int thread, const struct rt_driver *d) FL_HIDDEN;
/* Runs a thread to its next step without counting one. */
int fl__execute_transit(int thread, const struct rt_driver *d) FL_HIDDEN;
/* With the reduction: makes the accesses of t that are no steps. */
int fl__run_locals(int t, int end, const struct rt_driver *d) FL_HIDDEN;

/* FL_ALWAYS and FL_PROGRESS allow the state; else E.fault says why not. */
bool fl__may_be_so(void) FL_HIDDEN;

int fl__run_transits(const struct rt_driver *d) FL_HIDDEN;
static inline int fl__run_transit(const struct rt_driver *d) {
  return UNLIKELY(E.live.transit) ? fl__run_transits(d) : FL_GOES_ON;
}

/* The threads that can go on without a step run before the next one: the main
 * thread when all others are done, and those that join one that has ended. */
void fl__let_go_on(void) FL_HIDDEN;

uint32_t fl__enabled(void) FL_HIDDEN; /* mask */
/* The same if no region were atomic. */
uint32_t fl__enabled_outside(void) FL_HIDDEN;
/* Without a driver: stay with the current thread while it is enabled. */
int fl__stay(uint32_t enabled) FL_HIDDEN;

/* The call of thread t, which has not begun yet, begins with this step. */
FL_INLINE void fl__begin_call(int t) {
  struct fiber_state *f = &E.fiber[t];
  check_slow(!f->called && f->call < fl__ncalls());
  f->called = 1;
  E.times[f->call].call = E.live.steps;
  if (LIKELY(!E.options.c11)) /* run_call() */
    E.calls[f->call].pre = E.live.done;
  if (UNLIKELY(E.recording))
    fl__record_call(t);
}

/* hooks_sync.c: the wake-up that is added behind the access that f is about to
 * make, if there is one (rt_wake_after). */
void fl__wake_added(const struct fiber_state *f) FL_HIDDEN;

/* blocked.c: nobody can step.  How does the execution end? */
enum rt_end fl__blocked(void) FL_HIDDEN;
/* The operation that the thread is in may wait (FL_BLOCKING). */
bool fl__in_blocking_call(const struct fiber_state *f) FL_HIDDEN;

#endif
