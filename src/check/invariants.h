/*
 * Assertions about whole answers, for tests and for check_slow.  They apply the
 * specification again, which costs time, but only to what a search has seen.
 */
#ifndef CHECK_INVARIANTS_H
#define CHECK_INVARIANTS_H

#include "check/prefixes.h"

/* More calls than these take too long for check_slow. */
enum { CHECK_SLOW_CALLS = 64 };

void check_check_invariants(const struct history *h, struct spec *s,
                            enum criterion criterion,
                            const struct check *c); /* K1 to K3 */
void prefixes_check_invariants(const struct history *h, struct spec *s,
                               const struct prefixes *p); /* P1, P2 */

#endif
