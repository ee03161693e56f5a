/*
 * What the engine needs of a processor.  A port is a folder like rt/x86_64/
 * that provides all of this; the rest of rt/ names no register, no instruction
 * and no field of a signal's context.  rt/machine.h is the second half: what
 * the searches need.
 *
 * The rest of rt/ takes for granted: 64-bit addresses of which the code may
 * have 47 bits (layout.h), stacks that grow down, little-endian integers,
 * integer arguments of a call that each take one register or slot (calls.c),
 * and thread-local variables that hang on a register which a program can set.
 * Where functions have a red zone, rt/ is compiled without one
 * (cmake/layers.cmake), since fl__enter_fiber pushes.
 *
 * The inline half is rt/x86_64/inline.h:
 *
 *   PORT_PAGE              bytes of a page of memory
 *   PORT_SAVED_WORDS       words that fl__switch leaves at the stack pointer
 *   PORT_AUDIT_ARCH        the kernel's name of its system calls (audit.h)
 *   PORT_OTHER_CALLS       numbers from here on are not those of syscall.h
 *   struct float_state     see below; FLOAT_DEFAULT is what a process starts
 *                          with
 *   fl__enter_fiber        see below
 *   fl__next_pointer       see below
 */
#ifndef RT_PORT_H
#define RT_PORT_H

#include "rt/attributes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "rt/x86_64/inline.h"
#else
#error "rt/ has no port to this processor: rt/port.h says what one provides"
#endif

/* Once, before anything else of a port: finds out what the processor can do. */
void fl__port_open(void) FL_HIDDEN;

/* ---- switching stacks ---- */

/*
 * From a fiber to the engine.  Saves on the fiber's own stack what a called
 * function must preserve, stores its stack pointer in *fiber_sp, and goes on
 * where fl__enter_fiber saved engine_sp.  A parked fiber is its stack and
 * nothing else: so snapshots copy stacks only.
 *
 * Cost: this and fl__enter_fiber are most of what a step without work costs.
 * A switch must not spoil the prediction of returns (x86_64/switch.S).
 */
void fl__switch(void **fiber_sp, void *engine_sp) FL_HIDDEN;

/*
 * void fl__enter_fiber(void *fiber_sp, void **engine_sp)
 *
 * From the engine to a fiber: stores the engine's stack pointer in *engine_sp
 * and goes on where the fiber called fl__switch.  Returns at the fiber's next
 * fl__switch, or when fl__context_leave has abandoned the fiber.  Inline: the
 * compiler then saves only the registers that it needs.
 */

/*
 * Makes the stack of a fiber that has not run yet: entering it calls body() on
 * a stack that ends at `top`.  Returns the fiber's stack pointer.  Backtraces
 * end there.
 */
void *fl__first_frame(uint64_t top, void (*body)(void)) FL_HIDDEN;

/* ---- a thread's registers that are not saved by calls ---- */

/* The register on which thread-local variables, errno and pthread_self hang.
 * Setting it may be a system call (some 100 ns): the callers leave it alone
 * when it has the value already. */
uintptr_t fl__thread_pointer(void) FL_HIDDEN;
void fl__set_thread_pointer(uintptr_t to) FL_HIDDEN;

/*
 * struct float_state: the modes of the floating-point unit (rounding, traps,
 * flushing to zero), and the exceptions that it has met.  Both are a thread's
 * own.  The unit's registers are not part of it: a hook is a call, before which
 * the compiler saves the registers that it needs.
 */
struct float_state fl__float_now(void) FL_HIDDEN;
/* Sets only what differs: setting is dear, and most threads leave all as it
 * is. */
void fl__float_set(struct float_state s) FL_HIDDEN;

/* ---- signals; `context` is a handler's ucontext_t ---- */

uint64_t fl__context_pc(const void *context) FL_HIDDEN;
uint64_t fl__context_sp(const void *context) FL_HIDDEN;
void fl__context_set_pc(void *context, uint64_t pc) FL_HIDDEN;
/* The handler returns into the engine, as if the fiber had called fl__switch.
 * The modes that the fiber had set are reset with it. */
void fl__context_leave(void *context, void *engine_sp) FL_HIDDEN;

/* The first argument of the system call that SIGSYS has kept from being made.
 */
uint64_t fl__context_argument(const void *context) FL_HIDDEN;

/* ---- system calls ---- */

/*
 * A system call by an instruction that is here only, so that the filter of
 * cage.h tells the engine's calls from others: fl__door_end is behind it.
 * Returns what the kernel does, errors as negative numbers.
 */
long fl__door(long number, long a, long b, long c, long d, long e) FL_HIDDEN;
extern const char fl__door_end[] FL_HIDDEN;

/* ---- instructions without hooks (model/site.h) ---- */

/* rt_sites of rt.h is a part of a port too: it patches instructions. */

/* Was the illegal instruction one of the patches?  Then the context says how
 * to go on.  Costs a signal each time the instruction is executed. */
bool fl__site_trap(void *context) FL_HIDDEN;
/* The user's instruction that the one at pc, which may be a copy of it, stands
 * for. */
uint64_t fl__site_pc(uint64_t pc) FL_HIDDEN;

/* ---- arguments ---- */

/*
 * const char **fl__next_pointer(va_list ap)
 *
 * Where va_arg(ap, void *) would find its value, without taking it.
 */

#endif
