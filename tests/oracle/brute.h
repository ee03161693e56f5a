/* The definition of linearizability, for the engine's histories. */
#ifndef ORACLE_BRUTE_H
#define ORACLE_BRUTE_H

#include "check/check.h"

/* All permutations; up to about 8 operations. */
void check_brute(const struct history *h, struct spec *s,
                 enum criterion criterion, struct check *out);

#endif
