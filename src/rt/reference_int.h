/*
 * The heap of reference implementations (reference_heap.c), and what hooks do
 * while one runs (reference.c).
 */
#ifndef RT_REFERENCE_INT_H
#define RT_REFERENCE_INT_H

#include "rt/engine.h"

#include <stdarg.h>

/* Behind the arenas of the threads. */
#define REFERENCE_BASE (HEAP_BASE + HEAP_SPAN)
#define REFERENCE_SIZE (64ull << 20)

/* NULL: there is no room. */
void *fl__reference_alloc(uint64_t size, uint64_t align) FL_HIDDEN;
void fl__reference_free(void *p, uint64_t pc) FL_HIDDEN;
/* Fails if there is no room. */
void *fl__reference_resize(void *old, uint64_t size, uint64_t pc) FL_HIDDEN;
uint64_t fl__reference_size(const void *p) FL_HIDDEN; /* of a block, or 0 */
/* Is all of it in one block? */
bool fl__reference_holds(uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__reference_heap_open(void) FL_HIDDEN;
/* So many bytes of it are in use; the others are zero. */
uint64_t fl__reference_used(void) FL_HIDDEN;
void fl__reference_set_used(uint64_t bytes) FL_HIDDEN;
/* What the blocks of the next call are called (reference.h). */
void fl__reference_label(uint32_t label, bool labels) FL_HIDDEN;
/* The canonical form of a pointer into a block; 0: it points into none. */
uint64_t fl__reference_name(uint64_t p) FL_HIDDEN;

static inline bool fl__in_reference(const volatile void *p) {
  return (uint64_t)(uintptr_t)p - REFERENCE_BASE < REFERENCE_SIZE;
}

/* The code of the call that runs is about to access memory: the call has failed
 * if that is not the model's. */
void fl__reference_touch(uint64_t addr, uint64_t size, bool writes,
                         uint64_t pc) FL_HIDDEN;

/*
 * A function of FL_ALWAYS is asked in the middle of an execution, where hooks
 * make no steps.  What it reads of the object's memory counts as read by a
 * thread of its own; it writes to none of it.
 */
enum looked {
  LOOKED_HOLDS,
  LOOKED_BROKEN,
  LOOKED_STOPPED, /* it has crashed, or does not end … */
  LOOKED_FAILED,  /* … or does what it must not: see reference_trouble() */
};
enum looked fl__reference_look(int (*holds)(void *object)) FL_HIDDEN;
void fl__reference_is_stopped(void) FL_HIDDEN; /* signals.c */

/* Ends the call that runs: it has failed. */
_Noreturn void fl__reference_fails(uint64_t pc, const char *format,
                                   ...) FL_HIDDEN
    __attribute__((format(printf, 2, 3)));
/* The same, from the handler of a signal (signals.c). */
_Noreturn void fl__reference_stopped(const void *context,
                                     const char *why) FL_HIDDEN;
_Noreturn void fl__reference_vfails(uint64_t pc, const char *format,
                                    va_list ap) FL_HIDDEN;

#endif
