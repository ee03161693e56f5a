/*
 * Random walks that hold one thread up for long and seldom leave a critical
 * section in the middle.
 */
#ifndef SEARCH_DELAY_H
#define SEARCH_DELAY_H

#include "search/explore.h"

/* Runs max_executions.  Execution i depends on the client, the seed and the
 * executions before it in this call. */
enum explore_end explore_delay(struct explore *x);

#endif
