/*
 * Signals that the user's code causes (signals.c), and the watchdog, which is
 * driven by one (watch.c).
 */
#ifndef RT_SIGNALS_H
#define RT_SIGNALS_H

#include "rt/attributes.h"
#include "rt/rt.h"

#include <stddef.h>

void fl__signals_open(const char *so) FL_HIDDEN;
/* Does the engine have the signal's handler? */
bool fl__own_signal(int number) FL_HIDDEN;
/* In a signal handler: the fiber is left with a fault, whose text is still to
 * be written. */
void fl__refused(enum fault kind, void *context) FL_HIDDEN;

/* hooks_cxx.c: the words of the C++ exception that nobody catches, if that is
 * why the program ends. */
bool fl__uncaught(char *text, size_t size) FL_HIDDEN;

void fl__watch_open(const char *so) FL_HIDDEN;
/* To be asked at each tick: has the step that is being made taken too long?
 * Its code is at `pc` now. */
bool fl__watch_expired(uint64_t pc) FL_HIDDEN;

#endif
