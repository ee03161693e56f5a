/* Does an operation wait, or go round for ever?  FL_PROGRESS (progress.c). */
#ifndef RT_PROGRESS_H
#define RT_PROGRESS_H

#include "rt/engine.h"

/* While E.watches.  False: E.fault says which operation waits for others. */
bool fl__nobody_waits(void) FL_HIDDEN;
/* The same for whole executions: which states there were, and how many steps
 * each operation has made.  Before each execution … */
void fl__progress_begin(void) FL_HIDDEN;
/* … and before each step of thread t. */
bool fl__makes_progress(int t) FL_HIDDEN;

#endif
