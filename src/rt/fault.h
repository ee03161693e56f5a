/*
 * Faults: how an execution ends that has gone wrong.  E.fault says what
 * happened, in which thread and where.
 *
 * A place `pc` is an address in the object under test; 0 stands for that of
 * the thread's pending step.
 */
#ifndef RT_FAULT_H
#define RT_FAULT_H

#include "rt/engine.h"

/* On a fiber: ends the execution with a fault. */
_Noreturn void fl__fault(enum fault kind, uint64_t pc, uint64_t addr,
                         const char *format, ...) FL_HIDDEN
    __attribute__((format(printf, 4, 5)));

/* The same for what the engine does not model and for its own bounds: the
 * verdict is not that of a fault.  `format` begins with the function's name
 * and says why; no full stop. */
#define fl__refuse(pc, ...) fl__fault(FAULT_UNMODELLED, pc, 0, __VA_ARGS__)

/* Fills E.fault for E.self without leaving: for the engine's side. */
void fl__fill_fault(enum fault kind, uint64_t pc, uint64_t addr,
                    const char *format, ...) FL_HIDDEN
    __attribute__((format(printf, 4, 5)));

/* The same for thread t at its pending step, which has `addr`. */
void fl__fill_fault_of(int thread, enum fault kind, uint64_t addr,
                       const char *format, ...) FL_HIDDEN
    __attribute__((format(printf, 4, 5)));

/* Leaves the fiber with the fault that E.fault has. */
_Noreturn void fl__faulted(void) FL_HIDDEN;

#endif
