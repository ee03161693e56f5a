/* The definition of FL_PROGRESS on a graph of states (search/progress.h). */
#ifndef ORACLE_PROGRESS_H
#define ORACLE_PROGRESS_H

#include "search/progress.h"

/* Up to 64 states. */
bool progress_fails_slow(const struct steps *g,
                         const struct progress_question *q);

#endif
