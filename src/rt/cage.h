/*
 * The cage: what the process that runs the user's code may ask of the system.
 *
 * Code under test is hostile until proved otherwise: an operation that forks
 * makes every worker of a search two, and so on until the machine is full.  So
 * a filter of the kernel's (seccomp) stands before every system call.  What
 * would start a process, reach another one, end or stop this one, or take away
 * what the engine needs is not made: the code is interrupted there (SIGSYS),
 * and the execution ends as one that cannot be checked, with the line.  What
 * only an administrator may do fails with EPERM, as for anybody else.
 *
 * (C1) after cage_close no process but those of cage_fork begins in here.
 * (C2) nothing in the process can open the cage again.
 * (C3) the engine's own calls pass: they are made at one place (cage_call), and
 *      the filter knows its address.
 *
 * A kernel without seccomp cannot keep (C1) and (C2) (cage_close says so).
 * There
 *  - functions of the C library that start or reach processes, or change
 *    limits, apply the same rules (cage_ask, hooks_process.c).  Others that the
 *    filter refuses (close, sigaction, ...) cost no more than the worker;
 *  - a system call instruction in the code itself is not seen.  The number of
 *    processes has a limit, for root as well; a copy of the worker ends before
 *    its next execution (cage_end_copy) and answers nothing; the parent ends
 *    whatever is left when the worker has ended (base/tidy.h, tidy_orphans).
 */
#ifndef RT_CAGE_H
#define RT_CAGE_H

#include "rt/rt.h"

#include <stdbool.h>
#include <sys/types.h>

/* Before the first worker, in the parent: memory for last words. */
void cage_prepare(void);

/* In a worker, before it runs code of the user's.  `fd` is the descriptor that
 * the code must leave alone.  False: this kernel has no filters. */
bool cage_close(int fd);
/* The engine's signals are its own from here on. */
void cage_close_signals(void);

/* Without a filter: a call that the filter would refuse is not made.  The
 * execution, or the process, ends here then. */
extern bool fl__cage_is_bare;
void cage_ask_slowly(uint64_t pc, long number, const long *args);
static inline void cage_ask(uint64_t pc, long number, const long *args) {
  if (fl__cage_is_bare)
    cage_ask_slowly(pc, number, args);
}
/* Without a filter: if this process is one that the code has forked from a
 * worker, it ends. */
void cage_end_copy_slowly(void);
static inline void cage_end_copy(void) {
  if (__builtin_expect(fl__cage_is_bare, 0))
    cage_end_copy_slowly();
}

/* Without a filter: some of the processes and threads of the limit are kept for
 * the engine, which takes them before it starts one, and gives them back. */
void cage_reserve_slowly(bool taken);
static inline void cage_reserve(bool taken) {
  if (fl__cage_is_bare)
    cage_reserve_slowly(taken);
}

/* A system call of ours, with the C library's way to report errors. */
long cage_call(long number, long a, long b, long c, long d, long e);
pid_t cage_fork(void);
int cage_kill(pid_t pid, int number);
void cage_default_signal(int number);
_Noreturn void cage_exit(int status);

/*
 * Outside of the engine's control (while the object is loaded, in a thread of a
 * library's), a refusal ends the process.  Was it that?  Then in words, to be
 * freed; *pc is where, as an offset into the object, or 0.
 */
char *cage_words(int status, uint64_t *pc);

#endif
