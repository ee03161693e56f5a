/*
 * Which locations do threads conflict on (conflict.c)?  For the reduction: an
 * access to a location without conflicts is no step.
 */
#ifndef RT_CONFLICT_H
#define RT_CONFLICT_H

#include "rt/fiber.h"

/* The thread is about to make this access. */
void fl__conflict_note(int thread, uint8_t kind, uint64_t addr,
                       uint64_t size) FL_HIDDEN;
/* These bytes are read by somebody who is none of the threads. */
void fl__conflict_looked_at(uint64_t addr, uint64_t size) FL_HIDDEN;
bool fl__conflict_free(uint64_t addr, uint64_t size) FL_HIDDEN;
/* G1 and G2 of conflict.c: the pending access of f cannot be told apart from
 * one that is made together with the step before it. */
bool fl__guarded(const struct fiber_state *f) FL_HIDDEN;
/* From now on these bytes count as shared. */
void fl__conflict_force(uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__conflict_forget(void) FL_HIDDEN;

/* Is the location accessed both atomically and not, by steps?  Notes that it is
 * accessed so; that it turns out to be mixed is news as a conflict is. */
bool fl__conflict_is_mixed(uint64_t addr, uint64_t size,
                           bool plain) FL_HIDDEN;

#endif
