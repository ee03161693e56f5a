/*
 * The shadow call stack: the activations of functions that a thread is in, as
 * the compiler's hooks at entry and exit tell.  It is kept only while
 * E.shadowing says what for: for the call chains of recordings, and for regions
 * that are not to be interrupted (rt_atomic; atomic.c).
 *
 * The callers test E.shadowing before they call a function of this header.
 */
#ifndef RT_SHADOW_H
#define RT_SHADOW_H

#include "rt/attributes.h"
#include "rt/rt.h"

enum { SHADOW_FRAMES = 1024 };
enum { SHADOW_CHAINS = 1, SHADOW_REGIONS = 2 }; /* E.shadowing, a mask */

struct shadow_frame { /* an activation of a function */
  uint64_t pc, sp;
  uint64_t last;       /* where it was at the thread's last access; 0: none was
                          made in it */
  uint32_t activation; /* of the trace; 0: it has no event yet */
};

/* Keeps the frames of the prepared state … */
void fl__shadow_keep(void) FL_HIDDEN;
/* … and an execution begins with them. */
void fl__shadow_restart(void) FL_HIDDEN;
void fl__shadow_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__shadow_load(const uint8_t *p) FL_HIDDEN;
/* A snapshot without frames was restored. */
void fl__shadow_forget(void) FL_HIDDEN;

/* The thread makes its pending access … */
void fl__atomic_made(int thread) FL_HIDDEN;
/* … and has come to the next one, or to its end. */
void fl__atomic_arrive(int thread) FL_HIDDEN;
/* Its pending access must be a step, whatever it touches. */
bool fl__atomic_needs_step(int thread) FL_HIDDEN;

#endif
