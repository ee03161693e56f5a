/*
 * What a long command is doing now, for whoever waits: one line on a terminal,
 * a line every 30 seconds elsewhere (base/progress.h), and with --verbose a
 * line at the end of each phase, with its counts and its time.  All of it goes
 * to standard error.
 *
 *   search: 12 of 60 s, no fault, 1,852 clients, 265,481 executions, 22,000/s
 *
 * There is one for the process, as there is one standard error.  Processes
 * that are forked keep silent (phase_silence).
 *
 * (P1) A line on the screen is erased before anything else is printed: whoever
 *      prints while a phase goes on calls phase_pause before and phase_resume
 *      after it; phase_begin and phase_end leave no line.
 */
#ifndef PROC_PHASE_H
#define PROC_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/* The beginning; before it, and without it, nothing is ever printed.  Later
 * calls change nothing. */
void phases_open(bool verbose);
/* `what` is a word that lives on.  Ends the phase before it; one of the same
 * name goes on. */
void phase_begin(const char *what);
void phase_end(void);
/* A phase whose parts are not told: until it is let go, none begins or ends. */
void phase_hold(bool held);

/* Is the line due?  Then phase_show: what has been done in all, in this phase,
 * and how far that is, in words (or NULL). */
bool phase_due(void);
void phase_show(uint64_t clients, uint64_t executions, const char *far);
/* What has been done and does not count in later calls of phase_show. */
void phase_count(uint64_t clients, uint64_t executions);
/* The names of the things that are counted; "client" and "execution" else. */
void phase_units(const char *clients, const char *executions);
/* This phase has so many seconds; it is 0 without a bound. */
void phase_budget(double seconds);
/* There is one more fault. */
void phase_fault(void);

/* For work that asks nobody: somebody else shows the line. */
void phase_watch(void);

void phase_clear(void);
void phase_pause(void);
void phase_resume(void);
void phase_silence(void);

#endif
