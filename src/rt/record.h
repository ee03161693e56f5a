/*
 * The recording of one execution, event by event, into a trace (record.c).
 *
 * The callers test E.recording before they call a function of this header, but
 * for fl__record_last and fl__chain.
 */
#ifndef RT_RECORD_H
#define RT_RECORD_H

#include "rt/attributes.h"
#include "rt/rt.h"

struct store;

void fl__record_begin(struct arena *a, struct trace *t) FL_HIDDEN;
/* Nobody can go on: those who wait for a semaphore have gone to sleep there. */
void fl__record_sleepers(void) FL_HIDDEN;
/* A fault has ended the execution: what the others were about to do. */
void fl__record_next(void) FL_HIDDEN;
void fl__record_end(void) FL_HIDDEN;

/* The pending step of the thread begins … */
void fl__record_step(int thread) FL_HIDDEN;
/* … is over … */
void fl__record_done_step(uint8_t kind, uint64_t addr, uint64_t size) FL_HIDDEN;
/* … or is a fault. */
void fl__record_refused(int thread) FL_HIDDEN;
/* An access without a step that is a fault. */
void fl__record_refused_touch(bool write, uint64_t addr, uint64_t size,
                              uint64_t pc) FL_HIDDEN;
/* The step in progress read `old` / left `value` there, or turned out to be of
 * another kind.  Does nothing when nothing is recorded. */
void fl__saw(enum event_kind kind, const void *old, const void *value,
             uint64_t size) FL_HIDDEN;

uint32_t fl__record_last(void) FL_HIDDEN; /* index of the last event, or 0 */
/* That event is a store that went into the buffer … */
void fl__record_issued(uint32_t event) FL_HIDDEN;
/* … and this one is about to be committed. */
void fl__record_commit(int thread, const struct store *s) FL_HIDDEN;

void fl__record_call(int thread) FL_HIDDEN;
void fl__record_return(int thread, uint32_t call) FL_HIDDEN;
void fl__record_alloc(const void *p, uint64_t size, uint64_t elem,
                      uint64_t pc) FL_HIDDEN;
void fl__record_free(const void *p, uint64_t pc) FL_HIDDEN;
/* A sentence of its own; `pc` is an offset into the object, or 0. */
void fl__record_note(enum event_kind kind, int thread, uint64_t pc,
                     uint64_t addr, const char *text) FL_HIDDEN;
/* The begin or end of a block that is to be atomic. */
void fl__record_annotation(enum event_kind kind, const volatile void *addr,
                           uint64_t pc) FL_HIDDEN;
void fl__record_mark(enum event_kind kind, int thread, uint64_t pc) FL_HIDDEN;
/* An event of the running thread that is no step. */
void fl__record_simple(enum event_kind kind, const volatile void *addr,
                       uint64_t value, uint64_t pc) FL_HIDDEN;

/* The thread's shadow call stack as a number that equal stacks share. */
uint32_t fl__chain(int thread) FL_HIDDEN;

#endif
