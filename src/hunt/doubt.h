/* When a pass is none. */
#ifndef HUNT_DOUBT_H
#define HUNT_DOUBT_H

#include "model/result.h"

/* A pass that checked nothing, or not all, is none. */
void result_doubts(struct result *r, uint64_t undecided, const char *limit);
/* Nor is one whose executions hardly ever came to their end. */
void result_doubts_cut(struct result *r, uint64_t endless_clients);

#endif
