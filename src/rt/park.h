/*
 * What hooks do on a fiber's stack: park before a step, ask for a choice, end
 * the thread or the execution.
 */
#ifndef RT_PARK_H
#define RT_PARK_H

#include "rt/engine.h"

#define CALLER_PC ((uint64_t)(uintptr_t)__builtin_return_address(0))

/* The code has come to the hook that returns to `pc`.  Processes share the
 * table, so it is written only where that makes a difference. */
FL_INLINE void fl__reached(uint64_t pc) {
  uint64_t at = pc - E.base;
  if (LIKELY(at < E.reached_span) && UNLIKELY(!E.reached[at]))
    E.reached[at] = 1;
}

/*
 * Parks the running thread before a step and returns when it is to make it.
 * Always enabled.  The caller then performs the step on memory.
 */
FL_INLINE void point(enum event_kind kind, const volatile void *addr,
                     uint64_t size, uint64_t pc) {
  struct fiber_state *f = E.self;
  f->kind = kind;
  f->addr = (uint64_t)(uintptr_t)addr;
  f->size = size;
  f->pc = pc;
  E.arrival = ARRIVED;
  fl__switch(&f->sp, E.engine_sp);
}

/*
 * The same for a step that can be made only while can(self) is true; `other`
 * is for `can` to use.  When it returns, can() is true and no other thread has
 * run since.
 */
void fl__wait(enum event_kind kind, const volatile void *addr, uint64_t other,
              uint64_t pc, bool (*can)(struct fiber_state *f)) FL_HIDDEN;
void fl__wait_at(enum event_kind kind, const volatile void *addr, uint64_t size,
                 uint64_t other, uint64_t pc,
                 bool (*can)(struct fiber_state *f)) FL_HIDDEN;

/* Leaves the running fiber for the engine. */
void fl__leave(enum arrival how) FL_HIDDEN;

/* This step changed nothing that another thread could wait for (a failed
 * trylock, an exchange that stored what was there). */
static inline void fl__silent(void) { E.self->silent = 1; }

/* One of n ≥ 2 alternatives, by the search. */
int fl__choose(int n) FL_HIDDEN;

/*
 * The running thread goes to sleep at `pc`.  0: until somebody wakes it; else
 * it wakes up without a reason, in one of the ways WAKE_UP_… from `from` to
 * `to`.  The search chooses, if this wait is one of rt_options.wake_ups.  The
 * step that would sleep asks, and then does not begin to: no search has to know
 * of sleepers that could go on by themselves.  A client with one thread has
 * none: nobody would have to wake it.
 */
int fl__wakes_up(const volatile void *object, int from, int to,
                 uint64_t pc) FL_HIDDEN;
bool fl__may_wake_up(uint64_t pc) FL_HIDDEN; /* will fl__wakes_up ask? */

/* The whole program ends (exit in main, return of main). */
_Noreturn void fl__exit_program(int status) FL_HIDDEN;

/* The thread ends here (pthread_exit). */
_Noreturn void fl__end_thread(void *value) FL_HIDDEN;

/* A new thread; returns its number.  It runs to its first step before the
 * creator goes on to its next. */
int fl__spawn(void *(*start)(void *), void *arg, uint64_t pc) FL_HIDDEN;
int fl__new_number(uint64_t pc) FL_HIDDEN; /* hooks_thread.c */

/* Are the hooks to do anything?  False while the object is being loaded. */
static inline bool fl__on(void) { return E.in_fiber; }

/*
 * A thread that makes very many accesses which are no steps may wait, in a
 * loop, for somebody to write to its own stack: the others go on then.
 */
enum { QUIET_MOST = 20000 };
static inline void fl__quiet(uint64_t pc) {
  fl__reached(pc);
  if (UNLIKELY(++E.quiet == QUIET_MOST))
    point(EV_YIELD, NULL, 0, pc);
}

#endif
