/*
 * Memory of one thread that others touch all the same (marks.c): its stack, and
 * its block of the object's thread-local variables.  `whose` is as in struct
 * rt_mark, and `offset` counts from the beginning of that memory.
 *
 * (M1) E.stack_shared and E.tls_shared have the threads with marked units.
 */
#ifndef RT_MARKS_H
#define RT_MARKS_H

#include "rt/engine.h"

void fl__mark(uint32_t whose, uint64_t offset, uint64_t size) FL_HIDDEN;
bool fl__marked(uint32_t whose, uint64_t offset, uint64_t size) FL_HIDDEN;
/* A pointer into a stack has been stored where others can find it. */
void fl__stack_published(uint64_t pointer) FL_HIDDEN;
void fl__forget_marks(void) FL_HIDDEN;
/* Marks what the mark says, as far as there is such memory. */
void fl__add_mark(const struct rt_mark *m) FL_HIDDEN;

/* Is the pending access to another thread's stack? */
static inline bool fl__intrudes(const struct fiber_state *f) {
  return fl__in_stacks(f->addr) &&
         fl__stack_owner(f->addr) != (uint64_t)(f - E.fiber);
}
/* Does its pending step do without the object that it waited at? */
bool fl__only_wakes(const struct fiber_state *f) FL_HIDDEN;
/* Whether a thread's pending access is to a stack, of another thread, that
 * ends above it. */
bool fl__stack_dead(int thread, uint64_t addr) FL_HIDDEN;
/* Where the user's part of a parked thread's stack ends. */
uint64_t fl__stack_end(int thread) FL_HIDDEN;
/* Fills E.fault. */
void fl__stack_fault(int thread, uint64_t addr, bool write,
                     uint64_t pc) FL_HIDDEN;

/* M1; for check_slow and tests. */
bool fl__marks_check_invariants(void) FL_HIDDEN;

#endif
