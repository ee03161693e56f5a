/* Random walks that keep critical sections whole and hold one thread up. */
#ifndef SEARCH_DELAY_H
#define SEARCH_DELAY_H

#include "search/explore.h"

/* max_executions of them; execution i depends on the client, the seed and the
 * executions before it in this call. */
enum explore_end explore_delay(struct explore *x);

#endif
