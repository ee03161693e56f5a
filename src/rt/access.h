/*
 * Accesses to memory: which of them other threads can see, and which the
 * engine itself may make.
 */
#ifndef RT_ACCESS_H
#define RT_ACCESS_H

#include "rt/attributes.h"
#include "rt/rt.h"

/*
 * Is [addr, addr+size) something that another thread can see?  Whether it may
 * be touched is the engine's business when the step is made, not before: other
 * threads can free it in between.
 */
bool fl__visible(uint64_t addr, uint64_t size) FL_HIDDEN;

/* A step that reads or writes a range by library code; no-op when nothing of
 * it is visible or size is 0.  After it the caller performs the access. */
void fl__access(enum event_kind kind, const volatile void *addr, uint64_t size,
                uint64_t pc) FL_HIDDEN;

/* Is all of it in the engine's areas, so that the engine can read it? */
bool fl__readable(uint64_t addr, uint64_t size) FL_HIDDEN;

#endif
