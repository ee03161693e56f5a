/*
 * What a long command is doing, for the user who waits: one line on a terminal,
 * a line every 30 seconds elsewhere (base/progress.h), and with --verbose a
 * line at the end of each phase, with its counts and its time.  All of it goes
 * to standard error.
 *
 *   search: 12 of 60 s, no fault, 1,852 clients, 265,481 executions, 22,000/s
 *
 * There is one for the process, as there is one standard error.  Processes
 * that are forked keep silent (phase_silence).
 *
 * (L1) the line on the screen is erased before anything else is printed: code
 *      that prints while a phase goes on calls phase_pause before and
 *      phase_resume after it; phase_begin and phase_end leave no line.
 */
#ifndef PROC_PHASE_H
#define PROC_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/* Switches the lines on: without it nothing is ever printed.  Later calls
 * change nothing. */
void phases_open(bool verbose);
/* `what` is a word that is not freed.  Ends the phase before it; a phase of the
 * same name goes on. */
void phase_begin(const char *what);
void phase_end(void);
/* A phase whose parts are not shown: until held is false, none begins or ends.
 */
void phase_hold(bool held);

/* Is the line due?  Then phase_show shows the work done in this phase and, in
 * words, how far that is (or NULL). */
bool phase_due(void);
void phase_show(uint64_t clients, uint64_t executions, const char *far);
/* Adds work that later calls of phase_show do not count again. */
void phase_count(uint64_t clients, uint64_t executions);
/* The names of the things that are counted; "client" and "execution" else. */
void phase_units(const char *clients, const char *executions);
/* The seconds that this phase may take; 0: no bound. */
void phase_budget(double seconds);
/* There is one more fault. */
void phase_fault(void);

/* For work that never calls phase_show: a thread of its own shows the line. */
void phase_watch(void);

void phase_clear(void);
void phase_pause(void);
void phase_resume(void);
void phase_silence(void);

#endif
